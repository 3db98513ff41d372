/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const jobsReference: Reference['members'] = {
  ...ofNoun('Job', {
    state: 'Where the job is in its life, exactly.',
    status: 'The same in fewer words: `queued` is `pending` or `retryable`.',
    idempotency_key: 'The key of the request that submitted it.',
    cancel_requested_at: 'When a cancellation was requested. The running attempt learns of it.',
    completed_at: 'When it ended.',
    version: 'Increases with every change of the job.',
    next_attempt_at: 'When the next attempt may begin.',
    progress: 'What the worker reported last.',
    'progress.sequence': 'The number of the report.',
    'progress.message_code': 'A word of the worker for what it does.',
    'progress.recorded_at': 'When it was reported.',
    error: 'Why it failed; null if it did not.',
    'error.code': 'The reason, as the worker or the platform names it.',
    'error.cause_job_id': 'The job whose failure made this one fail.',
    usage: 'What the work has used, such as tokens or bytes.',
    'depends_on.job_id': 'The job to wait for.',
    'depends_on.required_state': 'Whether that job must succeed, or only end.',
    'depends_on.satisfied': 'Whether that job is there.',
    retry_of_job_id: 'The job of which this one is a new try.',
  }),
  ...ofNoun('Job ChangeJob SubmitJob', {
    scheduled_at: 'Before this time it does not begin.',
  }),
  ...ofNoun('SubmitJob', {
    'depends_on.job_id': 'The job to wait for.',
    'depends_on.required_state': 'Whether that job must succeed, or only end.',
  }),
  ...ofNoun('SubmittedJobs', {
    status: 'All of them wait.',
    jobs: 'The new jobs, by their `ref`.',
  }),
  ...ofNoun('SubmitJobs', {
    jobs: 'The jobs to submit. All of them are stored, or none.',
    'jobs.scheduled_at': 'Before this time the job does not begin.',
    'jobs.ref': 'A name for the job in this request.',
    'jobs.depends_on_refs': 'Jobs of this request to wait for.',
    'depends_on.job_id': 'A job that exists already, to wait for.',
    'depends_on.required_state': 'Whether that job must succeed, or only end.',
    'depends_on_refs.ref': 'The name of the job to wait for.',
    'depends_on_refs.required_state': 'Whether that job must succeed, or only end.',
  }),
  ...ofNoun('RedrivenJobs', {
    retried: 'How many jobs wait again.',
  }),
  ...ofNoun('RedriveJobs', {
    error_code: 'Only jobs that failed for this reason.',
    limit: 'At most so many jobs.',
  }),
  ...ofNoun('RetryJob', {
    mode: '`same_job` takes it up again; `new_job` makes a copy of it.',
  }),
}
