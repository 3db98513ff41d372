/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const rulesReference: Reference['members'] = {
  ...ofNoun('JobRule', {
    reason: 'Why the platform stopped it; null if it did not.',
  }),
  ...ofNoun('JobRule', {
    name: 'The name of the rule.',
    state: 'A `paused` or `disabled` rule makes no jobs; `reason` says why.',
    runs: 'How many jobs it has made.',
    last_run_at: 'When it last made a job.',
    last_job_id: 'The job that it made last.',
    missed: 'How many matching events made no job.',
    last_error_code: 'Why the last one made none.',
  }),
  ...ofNoun('JobRule PutJobRule', {
    event: 'The type of event, or a pattern such as `order.*`.',
    where: 'What the event must say. All conditions must hold.',
    'where.at': 'A JSON Pointer into the event.',
    'where.is': 'How the value is compared.',
    'where.value': 'What it is compared with.',
    job: 'The job that an event makes.',
    'job.delay_seconds': 'How long after the event the job begins.',
  }),
  ...ofNoun('PutJobRule', {
    paused: 'Whether the rule makes no jobs.',
  }),
}
