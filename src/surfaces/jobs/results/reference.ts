/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const resultsReference: Reference['members'] = {
  ...ofNoun('StoredResult JobResultAddress', {
    size: 'The bytes of the result.',
    checksum_sha256: 'The SHA-256 of the result.',
  }),
  ...ofNoun('JobResultAddress', {
    url: 'Where the result is read.',
    expires_at: 'Until then the address works.',
    media_type: 'The type of the result.',
  }),
}
