/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const streamsReference: Reference['members'] = {
  ...ofNoun('JobEvent', {
    job_id: 'The job to which it happened.',
    sequence: 'The number of the event in the job, from 1.',
    occurred_at: 'When it happened.',
  }),
}
