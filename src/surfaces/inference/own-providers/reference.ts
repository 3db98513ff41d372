/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const ownProvidersReference: Reference['members'] = {
  ...ofNoun('ModelProvider PutModelProvider', {
    tools: 'Whether a model there may call operations of the platform.',
  }),
  ...ofNoun('ModelProvider PutModelProvider', {
    kind: 'Whose API the provider speaks.',
    base_url: 'Where its API is.',
    auth: 'How the platform proves itself there.',
    'auth.type': 'A Bearer token, a key in another header, or AWS.',
    'auth.header': 'The header that has the key.',
    'auth.region': 'The region at AWS.',
    state: 'A `disabled` provider gets no calls.',
  }),
  ...ofNoun('ModelProvider', {
    id: 'The id of the provider.',
    name: 'The name by which models choose it.',
    version: 'Increases with every change of the provider.',
    'auth.last4': 'The last four characters of the key. The rest is never shown.',
  }),
  ...ofNoun('PutModelProvider', {
    'auth.key': 'The key. It is never shown again.',
    'auth.access_key_id': 'The id of the key at AWS.',
    'auth.secret_access_key': 'The secret key at AWS. It is never shown again.',
    tenant_id: 'The tenant that may use it. Without it, that of the caller.',
  }),
}
