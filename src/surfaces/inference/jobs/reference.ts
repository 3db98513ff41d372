/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const jobsReference: Reference['members'] = {
  ...ofNoun('CreatedInferenceJob', {
    id: 'The id of the job.',
    job_id: 'The same id, as jobs name it.',
    operation_id: 'The id of the call.',
    state: 'The call has not begun.',
    status: 'The job waits.',
    status_url: 'Where to read how far it is.',
  }),
  ...ofNoun('InferenceJob', {
    job_id: 'The same id, as jobs name it.',
    operation_id: 'The id of the call.',
    state: 'Where the job is in its life, exactly.',
    status: 'The same in fewer words.',
    progress: 'What the job reported last.',
    'progress.sequence': 'The number of the report.',
    'progress.stage': 'What the job does.',
    'progress.current': 'How many steps are done.',
    'progress.total': 'How many steps there are.',
    'progress.message_code': 'A word for what the job does.',
    'progress.recorded_at': 'When it was reported.',
    cancel_requested_at: 'When a cancellation was requested.',
    result: 'The call, when the job has succeeded.',
    error: 'Why it failed; null if it did not.',
    'error.code': 'The reason.',
    started_at: 'When the first attempt began.',
    completed_at: 'When it ended.',
    'attempts.attempt': 'The number of the attempt, from 1.',
    'attempts.state':
      'How the attempt went. `ambiguous`: it is not known whether the provider answered.',
    'attempts.error_code': 'Why it failed.',
    'attempts.latency_ms': 'Milliseconds until the provider answered.',
  }),
}
