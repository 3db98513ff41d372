/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const reconciliationReference: Reference['members'] = {
  ...ofNoun('ReconciliationItem', {
    state: 'Whether a person has to look at it.',
  }),
  ...ofNoun('ReconciliationRun', {
    'proof.clearing_minor': 'The balance in the ledger.',
    'proof.recorded_minor': 'The net of the recorded balance transactions.',
    'proof.provider_minor': 'The balance that the provider reports.',
  }),
  ...ofNoun('RequestReconciliation', {
    provider: ['The provider whose books are compared.', 'stripe'],
  }),
}
