/** The names and descriptions of this surface for the published document. */
import type { Reference } from '#dodeca/kernel'
import { attemptsReference } from './attempts/reference.ts'
import { jobsReference } from './jobs/reference.ts'
import { resultsReference } from './results/reference.ts'
import { rulesReference } from './rules/reference.ts'
import { schedulesReference } from './schedules/reference.ts'
import { stepsReference } from './steps/reference.ts'
import { streamsReference } from './streams/reference.ts'
import { typesReference } from './types/reference.ts'
import { workersReference } from './workers/reference.ts'

export const reference: Reference = {
  introduction:
    'Long-running work that survives crashes. A job is stored in one transaction, claimed by a worker under a lease, retried with backoff, and ends exactly once. You can watch its progress. Your own workers claim jobs over HTTP.',
  members: {
    ...jobsReference,
    ...attemptsReference,
    ...streamsReference,
    ...resultsReference,
    ...rulesReference,
    ...schedulesReference,
    ...stepsReference,
    ...typesReference,
    ...workersReference,
    lease_token: [
      'Proves that the worker holds the attempt; each claim has a new one.',
      'lt_9fK2mQ4x',
    ],
    type: ['The name of the job type.', 'demo.count'],
    schema_version: [
      'The version of the schema of the parameters. The default is the newest version.',
      1,
    ],
    parameters: ['The input of the job. It must match the schema of the type.', { to: 10 }],
    input_ref: ['The file that the job works on; the owner of the job must be allowed to read it.'],
    input_url: [
      'The URL from which the worker fetches the file, valid for an hour. It is absent if the owner of the job may no longer read the file.',
    ],
    priority: ['The priority from 0 to 9. Jobs with a lower number run first; the default is 5.'],
    attempt_count: ['How many attempts have begun.', 1],
    max_attempts: ['How many attempts the job gets before it fails.', 5],
    deadline_at: ['After this time the job expires instead of starting.'],
    waiting_reason: ['Why the job does not run yet.'],
    depends_on: ['The jobs that must end before this job starts.'],
    checkpoint: [
      'The data that the next attempt needs to continue. The platform does not read it.',
      { done: 400 },
    ],
    stage: ['The current step of the job.', 'counting'],
    current: ['How many steps are done.', 4],
    total: ['How many steps there are.', 10],
    lease_seconds: ['How long a lease lasts without a heartbeat.', 30],
    timeout_seconds: ['How long one attempt may take.', 600],
    cron: ['Five fields of cron: minute, hour, day, month, weekday.', '0 6 * * 1-5'],
    timezone: ['The zone of the cron expression.', 'Europe/Berlin'],
    queue: ['The queue. Workers claim jobs of one queue.', 'default'],
    wait_seconds: ['How many seconds the request waits if no job is due.', 20],
    max_jobs: ['The maximum number of jobs that one claim returns.', 10],
    retryable: ['Whether the job may be retried after this failure.', true],
    result_ref: ['The id of the stored result.'],
  },
}
