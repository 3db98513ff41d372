/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const attemptsReference: Reference['members'] = {
  ...ofNoun('JobAttempt', {
    job_id: 'The job that was attempted.',
    attempt_no: 'The number of the attempt, from 1.',
    worker_id: 'The worker that had it.',
    state: 'How the attempt went.',
    leased_until: 'Until then the worker holds the job without another heartbeat.',
    heartbeat_at: 'When the worker was last heard.',
    started_at: 'When the attempt began.',
    completed_at: 'When the attempt ended.',
    error_code: 'Why it failed.',
  }),
}
