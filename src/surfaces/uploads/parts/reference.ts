/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const partsReference: Reference['members'] = {
  ...ofNoun('PartUrl', {
    url: 'Where the bytes of the part are sent. The address is the credential.',
    method: 'How the bytes are sent.',
    headers: 'The headers to send with the bytes.',
  }),
}
