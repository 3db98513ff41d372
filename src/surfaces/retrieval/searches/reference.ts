/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const searchesReference: Reference['members'] = {
  ...ofNoun('SearchHit', {
    document_id: 'The document of the hit.',
    collection_id: 'The collection of the document.',
    title: 'What readers see of the document.',
    source_uri: 'Where the document comes from.',
    text: 'The chunk that fits.',
  }),
  ...ofNoun('Citation', {
    document_id: 'The document that is quoted; null if the reader may not read it any more.',
    title: 'What readers see of the document.',
    source_uri: 'Where the document comes from.',
  }),
}
