/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const refundsReference: Reference['members'] = {
  ...ofNoun('Refund RefundSummary', {
    reason: 'Why the money is given back.',
    state: 'Whether the money was given back.',
  }),
  ...ofNoun('CreateRefund', {
    reason: 'Why the money is given back. The provider gets it, too.',
  }),
}
