/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const suppressionsReference: Reference['members'] = {
  ...ofNoun('Suppression', {
    effective_at: 'From when on nothing is sent to the address.',
  }),
}
