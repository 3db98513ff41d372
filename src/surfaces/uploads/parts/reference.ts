/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const partsReference: Reference['members'] = {
  ...ofNoun('PartUrl', {
    expires_at: 'Until then the address works.',
  }),
  ...ofNoun('RegisteredParts', {
    state: 'The state of the upload. Parts are sent while it is `initiated`.',
    expires_at: 'When the upload ends if no new part comes.',
  }),
  ...ofNoun('PartUrl', {
    url: 'Where the bytes of the part are sent. The address is the credential.',
    method: 'How the bytes are sent.',
    headers: 'The headers to send with the bytes.',
  }),
}
