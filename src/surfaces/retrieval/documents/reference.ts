/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const documentsReference: Reference['members'] = {
  ...ofNoun('Document', {
    deleted_at: 'When it was deleted.',
  }),
  ...ofNoun('QueuedDocument', {
    id: 'The id of the document.',
  }),
}
