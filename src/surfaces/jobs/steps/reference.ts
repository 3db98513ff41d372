/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const stepsReference: Reference['members'] = {
  ...ofNoun('Signal SendSignal', {
    name: 'The name for which a step waits.',
  }),
  ...ofNoun('Signal', {
    job_id: 'The job that gets it.',
    status: 'The signal is stored, and reaches the job also if it does not wait yet.',
  }),
  ...ofNoun('Step', {
    sequence: 'The order in which the steps were first recorded.',
    name: 'The name of the step in the code of the job.',
    kind: 'What the step does.',
    state: 'Where the step is.',
    attempts: 'How often it was tried.',
    result: 'What it returned; null also for callers who may not read the result of the job.',
    error_code: 'Why it failed.',
    until: 'Until when it waits.',
    child_job_id: 'The job that the step has started.',
    completed_at: 'When the step ended.',
  }),
}
