/** The names and descriptions of this surface for the published document. */
import type { Reference } from '../../kernel/http/openapi/reference.ts'

export const reference: Reference = {
  introduction:
    'Long work that survives crashes. A job is stored in one commit, claimed by a worker under a lease, retried with backoff and ended once; its progress can be watched. Workers of your own claim jobs over HTTP.',
  members: {
    lease_token: [
      'Proves that the worker holds the attempt; each claim has a new one.',
      'lt_9fK2mQ4x',
    ],
    type: ['The name of the job type.', 'demo.count'],
    schema_version: [
      'The version of the schema that the parameters fit; the newest one if absent.',
      1,
    ],
    parameters: ['What the job works on; it fits the schema of the type.', { to: 10 }],
    input_ref: ['The file that the job works on; the owner of the job must be allowed to read it.'],
    input_url: [
      'Where the worker fetches the file, for an hour; absent if the owner of the job may not read it any more.',
    ],
    priority: ['From 0 to 9; a larger one goes first.'],
    attempt_count: ['How many attempts have begun.', 1],
    max_attempts: ['How many attempts the job gets before it fails.', 5],
    deadline_at: ['After this time the job expires instead of starting.'],
    waiting_reason: ['Why the job does not run yet.'],
    depends_on: ['Jobs that must end first.'],
    checkpoint: ['What the next attempt needs to go on; opaque to the platform.', { done: 400 }],
    stage: ['What the job does now.', 'counting'],
    current: ['How many steps are done.', 4],
    total: ['How many steps there are.', 10],
    lease_seconds: ['How long a lease lasts without a heartbeat.', 30],
    timeout_seconds: ['How long one attempt may take.', 600],
    cron: ['Five fields of cron: minute, hour, day, month, weekday.', '0 6 * * 1-5'],
    timezone: ['The zone of the cron expression.', 'Europe/Berlin'],
    queue: ['Workers claim from one queue.', 'default'],
    wait_seconds: ['How long to wait where nothing is due.', 20],
    max_jobs: ['The most jobs that one claim returns.', 10],
    retryable: ['Whether another attempt makes sense.', true],
    result_ref: ['The id of the stored result.'],
  },
}
