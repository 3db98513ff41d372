/** What the jobs surface refuses. Absent, foreign and unreadable jobs are one and the same refusal. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  job_not_found: { status: 404, title: 'There is no such job' },
  job_type_not_found: { status: 404, title: 'There is no such job type' },
  job_schedule_not_found: { status: 404, title: 'There is no such schedule' },
  job_attempt_not_found: { status: 404, title: 'There is no such attempt' },
  worker_not_found: { status: 404, title: 'There is no such worker' },
  result_not_found: { status: 404, title: 'The job has left no result, or it is past retention' },
  attempt_finished: { status: 409, title: 'The attempt has ended otherwise' },
  job_type_reserved: { status: 409, title: 'The type is part of the platform' },
  lease_lost: { status: 409, title: 'The lease is lost' },
  result_not_ready: { status: 409, title: 'The job has not ended yet' },
  schema_immutable: { status: 409, title: 'A schema version never changes' },
  version_conflict: { status: 409, title: 'The job has changed since this version' },
  deadline_in_past: { status: 422, title: 'The deadline leaves no time to run' },
  dependency_cycle: { status: 422, title: 'The jobs wait for each other in a circle' },
  dependency_unknown: { status: 422, title: 'A job that is to be waited for does not exist' },
  input_not_available: { status: 422, title: 'The input is no available file' },
  result_invalid: { status: 422, title: 'The result does not fit the schema of its type' },
  schema_invalid: { status: 422, title: 'The schema cannot be used' },
  schedule_invalid: { status: 422, title: 'The schedule has no such time or zone' },
  unknown_job_type: { status: 422, title: 'There is no such job type to submit' },
  unsupported_schema_version: { status: 422, title: 'The type has no such schema version' },
} as const

export const problem = problemsOf(errors)
