/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const documentsReference: Reference['members'] = {
  ...ofNoun('QueuedDocument', {
    document_id: 'The same id, as other operations name it.',
    job_id: 'The job that reads the document.',
    state: 'The document waits to be read.',
    status: 'The job waits.',
  }),
  ...ofNoun('Document', {
    collection_id: 'The collection to which it belongs.',
    state: 'It is found when it is `ready`.',
    error_code: 'Why it could not be read.',
  }),
  ...ofNoun('AddDocument Document', {
    title: 'What readers see in citations.',
    source_uri: 'Where the document comes from.',
  }),
  ...ofNoun('AddDocument', {
    text: 'The document as text, in place of a file.',
  }),
  ...ofNoun('Chunk', {
    text: 'The text of the chunk.',
  }),
  ...ofNoun('Document', {
    deleted_at: 'When it was deleted.',
  }),
  ...ofNoun('QueuedDocument', {
    id: 'The id of the document.',
  }),
}
