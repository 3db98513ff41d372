/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const evaluationsReference: Reference['members'] = {
  ...ofNoun('Evaluation', {
    job_id: 'The job that measures.',
    index_version: 'The version that was measured; null for the one that was active.',
  }),
  ...ofNoun('Evaluating', {
    job_id: 'The job that measures.',
    state: 'The measurement has not begun.',
    status: 'The job waits.',
  }),
  ...ofNoun('Evaluate', {
    index_version: 'The version to measure. Without it, the active one.',
  }),
  ...ofNoun('Evaluating', {
    id: 'The id of the evaluation.',
  }),
}
