/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const reportsReference: Reference['members'] = {
  ...ofNoun('GeneratedReport', {
    id: 'The id of the report.',
    job_id: 'The job that writes it.',
    status: 'The job waits.',
  }),
}
