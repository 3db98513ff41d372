/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const collectionsReference: Reference['members'] = {
  ...ofNoun('Collection', {
    state: 'A deleted collection is not shown.',
  }),
  ...ofNoun('AccessList', {
    version: 'Increases with each change of the access list.',
  }),
}
