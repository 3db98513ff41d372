/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const collectionsReference: Reference['members'] = {
  ...ofNoun('ProductCollection PutProductCollection', {
    title: 'The title, as buyers read it.',
    key: 'The name of the collection in addresses.',
  }),
}
