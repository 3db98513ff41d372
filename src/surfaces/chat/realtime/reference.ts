/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const realtimeReference: Reference['members'] = {
  ...ofNoun('RealtimeToken', {
    expires_at: 'Until then the token opens a socket.',
    token: 'The token of one connection.',
    url: 'The address of the socket.',
    protocol: 'The protocol to name when the socket is opened.',
  }),
}
