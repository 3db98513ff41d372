/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const typesReference: Reference['members'] = {
  ...ofNoun('RegisterJobType', {
    schema_version: 'The version that is registered. An existing version never changes.',
  }),
  ...ofNoun('JobTypePause PauseJobType', {
    reason: 'Why it is paused. It is shown to operators, and kept in the audit log.',
  }),
  ...ofNoun('JobTypeStats', {
    waiting: 'How many jobs of the type wait; null for an activity.',
    running: 'How many jobs of the type run; null for an activity.',
    oldest_waiting_seconds: 'How long the oldest of them has waited.',
    failed_24h: 'How many jobs of the type have failed in a day.',
    paused: 'Whether no job of the type begins.',
    capable_workers: 'How many workers could run one.',
  }),
  ...ofNoun('JobType', {
    kind: 'Part of the platform, an activity with its own queue, or registered for your workers.',
    submittable: 'Whether `POST /v1/jobs` accepts it.',
    schema_versions: 'The versions of its parameters.',
    backoff: 'How long it waits before the next attempt.',
    tenant_max_running: 'How many jobs of a tenant run at once; null for the limit of all types.',
    paused: 'Whether no job of the type begins.',
    pause_reason: 'Why it was paused.',
    paused_at: 'When it was paused.',
    paused_until: 'When the pause ends by itself.',
  }),
  ...ofNoun('JobType RegisterJobType', {
    'backoff.base_ms': 'The longest wait after the first failure. It doubles with each one.',
    'backoff.cap_ms': 'The longest wait.',
  }),
  ...ofNoun('RegisterJobType', {
    parameters_schema: 'The JSON Schema of the parameters.',
    result_schema: 'The JSON Schema of the result.',
    backoff: 'How long it waits before the next attempt.',
    tenant_max_running: 'How many jobs of a tenant may run at once.',
  }),
  ...ofNoun('JobTypePause', {
    paused: 'Whether no job of the type begins.',
    paused_at: 'When it was paused.',
    paused_by: 'Who paused it.',
    until: 'When the pause ends by itself.',
    running: 'How many attempts still run; null for an activity.',
  }),
  ...ofNoun('PauseJobType', {
    until: 'When the pause ends by itself; null for never.',
  }),
}
