/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const indexesReference: Reference['members'] = {
  ...ofNoun('IndexVersion', {
    collection_id: 'The collection whose index it is.',
    state: 'Searches use the `active` version.',
    version: 'The number of this version, from 1.',
  }),
  ...ofNoun('Reindexing', {
    job_id: 'The job that builds the version.',
    index_version: 'The version that is built.',
    state: 'The work has not begun.',
    status: 'The job waits.',
  }),
  ...ofNoun('EmbeddingProfile', {
    id: 'The name of the profile, with its version.',
  }),
  ...ofNoun('Reindexing', {
    id: 'The id of the job.',
  }),
}
