/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const returnsReference: Reference['members'] = {
  ...ofNoun('Return', {
    state: 'Where the return is in its life.',
    'refund.state': 'Whether the money was given back.',
  }),
  ...ofNoun('Return', {
    order_id: 'The order of which it is a part.',
    lines: 'What comes back.',
    'lines.order_line_id': 'The line of the order.',
    'lines.refund_minor': 'What is given back for it; null until it is known.',
    refund_shipping: 'Whether shipping is given back, too.',
    refund: 'The refund; null until there is one.',
    'refund.operation_id': 'The operation at the provider.',
    'refund.amount_minor': 'How much is given back.',
    note: 'The reason, in the words of who asked.',
  }),
  ...ofNoun('RequestReturn', {
    order_id: 'The order of which something comes back.',
    lines: 'What comes back.',
    'lines.order_line_id': 'The line of the order.',
    note: 'The reason, in your own words.',
  }),
  ...ofNoun('ApproveReturn', {
    refund_shipping: 'Whether shipping is given back, too.',
  }),
  ...ofNoun('ReceiveReturn', {
    lines: 'What has arrived.',
    'lines.order_line_id': 'The line of the order.',
  }),
}
