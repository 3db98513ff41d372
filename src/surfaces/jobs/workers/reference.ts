/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const workersReference: Reference['members'] = {
  ...ofNoun('ReportProgress', {
    current: 'How many steps are done.',
    total: 'How many steps there are, if you know it.',
  }),
  ...ofNoun('JobWorker', {
    worker_id: 'The id of the worker, for its paths.',
    all_tenants: 'Whether it gets jobs of all tenants.',
    last_seen_at: 'When it was last heard.',
  }),
  ...ofNoun('JobWorker RegisterWorker', {
    capabilities: 'The types of jobs that it can run.',
    'capabilities.versions': 'The versions of their parameters that it understands.',
  }),
  ...ofNoun('ClaimJobs', {
    claim_id: 'A new id for each claim. The same id again returns the same jobs.',
  }),
  ...ofNoun('ClaimedJobs', {
    jobs: 'The jobs that the worker holds now.',
    'jobs.job': 'The job.',
    'jobs.attempt': 'The attempt that has begun.',
    'jobs.traceparent':
      'The W3C trace in which the job was submitted. Send it with the calls of the work.',
    'jobs.version': 'Send it when you finish the attempt.',
    'attempt.id': 'The id of the attempt.',
    'attempt.attempt_no': 'The number of the attempt, from 1.',
    'attempt.leased_until': 'Until then the worker holds the job without a heartbeat.',
    'attempt.started_at': 'When the attempt began.',
  }),
  ...ofNoun('RenewedLeases Heartbeats', {
    leases: 'The attempts that the worker holds.',
    'leases.attempt_id': 'The id of the attempt.',
  }),
  ...ofNoun('RenewedLeases', {
    'leases.lost': "The attempt is not the worker's any more. Stop the work.",
    'leases.leased_until': 'Until then the worker holds the job.',
    'leases.version': 'Send it when you finish the attempt.',
    'leases.cancel_requested': 'Whether a cancellation of the job was requested.',
  }),
  ...ofNoun('FinalizeAttempt', {
    version: 'The version of the job that the worker knows.',
    outcome: 'How the attempt ended. `released` gives the job back.',
    after_seconds:
      'With `released`: it goes on after so many seconds, and holds no slot meanwhile.',
    result: 'What the work has made, as JSON.',
    error: 'Why it failed.',
    'error.code': 'The reason in one word of yours.',
    'error.retry_after_seconds': 'The least time until the next attempt.',
  }),
  ...ofNoun('ReportedProgress', {
    sequence: 'The number of the report.',
    cancel_requested: 'Whether a cancellation of the job was requested.',
    version: 'Send it when you finish the attempt.',
  }),
  ...ofNoun('ReportProgress', {
    message_code: 'A word of yours for what the work does.',
  }),
}
