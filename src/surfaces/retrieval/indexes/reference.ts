/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const indexesReference: Reference['members'] = {
  ...ofNoun('EmbeddingProfile', {
    id: 'The name of the profile, with its version.',
  }),
  ...ofNoun('Reindexing', {
    id: 'The id of the job.',
  }),
}
