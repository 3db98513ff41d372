/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const disputesReference: Reference['members'] = {
  ...ofNoun('Dispute', {
    reason: 'Why the holder of the card disputes it, as the bank says.',
    state: 'Who has to act, or how it ended.',
  }),
}
