/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const shipmentsReference: Reference['members'] = {
  ...ofNoun('Shipment ShipmentOrStatus', {
    state: 'Whether it is on its way or has arrived.',
  }),
  ...ofNoun('Shipment ShipmentOrStatus', {
    order_id: 'The order of which it is a part.',
    lines: 'What is in it.',
    'lines.order_line_id': 'The line of the order.',
    shipped_at: 'When it was sent.',
    delivered_at: 'When it arrived.',
  }),
  ...ofNoun('ShipmentOrStatus', {
    status: 'Only in a reply with 202: the money is not taken yet.',
  }),
  ...ofNoun('ShipOrder', {
    lines: 'What is in it. Without them, all that is left.',
    'lines.order_line_id': 'The line of the order.',
  }),
}
