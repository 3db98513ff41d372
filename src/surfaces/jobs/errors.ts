/** The refusals of the jobs surface. Missing, foreign and unreadable jobs get the same refusal. */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  job_not_found: {
    status: 404,
    title: 'There is no such job',
    cause: 'No job has this id, or you may not see it.',
    cure: 'Find the id with `GET /v1/jobs`.',
  },
  job_type_not_found: {
    status: 404,
    title: 'There is no such job type',
    cause: 'No job type has this name.',
    cure: 'See the names with `GET /v1/job-types`.',
  },
  job_schedule_not_found: {
    status: 404,
    title: 'There is no such schedule',
    cause: 'No schedule of the tenant has this name, or you may not schedule its type.',
    cure: 'See the names with `GET /v1/job-schedules`.',
  },
  job_attempt_not_found: {
    status: 404,
    title: 'There is no such attempt',
    cause: 'No attempt has this id, or it belongs to another worker.',
    cure: 'Use the `attempt.id` of the claim.',
  },
  worker_not_found: {
    status: 404,
    title: 'There is no such worker',
    cause: 'No worker with this id is registered, or it belongs to another account.',
    cure: 'Register it with `PUT /v1/workers/{worker_id}`.',
  },
  result_not_found: {
    status: 404,
    title: 'The job has left no result, or it is past retention',
    cause: 'The job stored no result, or the result was deleted after its retention.',
    cure: 'See `result_ref` and `completed_at` of the job.',
  },
  attempt_finished: {
    status: 409,
    title: 'The attempt has ended otherwise',
    cause: 'The attempt ended before, with another outcome or another result.',
    cure: 'Do not finish it again; read the job for its state.',
  },
  job_has_no_steps: {
    status: 409,
    title: 'The job is no workflow',
    cause: 'The job has no steps, so none of them can wait for a signal.',
    cure: 'Send signals only to jobs whose type is a workflow.',
  },
  signal_exists: {
    status: 409,
    title: 'Another signal has this id',
    cause: 'A signal with this id was sent to the run before, with another name or other data.',
    cure: 'Choose a new id for another signal.',
  },
  job_type_reserved: {
    status: 409,
    title: 'The type is part of the platform',
    cause: 'Types of this name are part of the platform.',
    cure: 'Choose another name for a type of your own workers.',
  },
  lease_lost: {
    status: 409,
    title: 'The lease is lost',
    cause: 'The lease of the attempt ended, so another worker may have the job.',
    cure: 'Stop working on it, drop its results, and claim the next job. Send heartbeats more often than the lease lasts.',
  },
  result_not_ready: {
    status: 409,
    title: 'The job has not ended yet',
    cause: 'The job is waiting or running.',
    cure: 'Watch `GET /v1/jobs/{job_id}/events` until it ends.',
  },
  schema_immutable: {
    status: 409,
    title: 'A schema version never changes',
    cause: 'The version is registered with another schema, and jobs rely on it.',
    cure: 'Register the new schema under the next version.',
  },
  version_conflict: {
    status: 409,
    title: 'The job has changed since this version',
    cause: 'The job changed after the version that the request names.',
    cure: 'Read the job again, then decide.',
  },
  deadline_in_past: {
    status: 422,
    title: 'The deadline leaves no time to run',
    cause: 'The deadline is over, or nearer than a job can start.',
    cure: 'Send a later `deadline_at`, or leave it out.',
  },
  dependency_cycle: {
    status: 422,
    title: 'The jobs wait for each other in a circle',
    cause: 'Each of the jobs would wait for another one of them for ever.',
    cure: 'Remove one of the dependencies that `errors` names.',
  },
  dependency_unknown: {
    status: 422,
    title: 'A job that is to be waited for does not exist',
    cause: 'A job in `depends_on` does not exist, or you may not see it.',
    cure: 'Use the ids of jobs of the same tenant.',
  },
  input_not_available: {
    status: 422,
    title: 'The input is not available',
    cause:
      'The file of `input_ref` does not exist, is not yours or is not ready. Or a job cannot be retried because its input was erased.',
    cure: 'Complete the upload first, and wait until the file is available. Instead of a retry without an input, submit a new job.',
  },
  result_invalid: {
    status: 422,
    title: 'The result does not fit the schema of its type',
    cause: 'The result does not fit the schema that the type declares.',
    cure: 'Change the result as `errors` says; `GET /v1/job-types/{type}` shows the versions.',
  },
  schema_invalid: {
    status: 422,
    title: 'The schema cannot be used',
    cause: 'The text is not a JSON Schema, or it uses a part that is not allowed.',
    cure: 'Use only the keywords that the detail allows.',
  },
  schedule_invalid: {
    status: 422,
    title: 'The schedule has no such time or zone',
    cause: 'The cron expression has no such time, or the zone is not in the IANA database.',
    cure: 'Send five cron fields and a zone such as `Europe/Berlin`.',
  },
  unknown_job_type: {
    status: 422,
    title: 'There is no such job type to submit',
    cause: 'The type does not exist, or only the platform itself submits it.',
    cure: 'See what may be submitted with `GET /v1/job-types` (`submittable`).',
  },
  unsupported_schema_version: {
    status: 422,
    title: 'The type has no such schema version',
    cause: 'The type exists, but not in this version.',
    cure: 'Leave `schema_version` out, or use one that `GET /v1/job-types/{type}` lists.',
  },
} as const

export const problem = problemsOf(errors)
