/** The records of the jobs surface on the wire that more than one folder uses. */
import { Type, type Static } from 'typebox'
import { count, Id, nullable, oneOf, Time } from '#dodeca/kernel'

/** Bytes of a row; they never go over the wire. */
export const Bytes = Type.Unsafe<Buffer>(Type.Any())

export const TypeName = Type.String({
  pattern: '^[a-z0-9_.-]{1,100}$',
  minLength: 1,
  maxLength: 100,
})
export const SchemaVersion = count(1, 2 ** 31 - 1)
export const Priority = count(0, 9)
export const priority_default = 5

export const RequiredState = oneOf('succeeded', 'terminal')

export const JobState = oneOf(
  'pending',
  'retryable',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
)
export type JobState = Static<typeof JobState>

/** The filters of a list: states, and the specification's names for several of them. */
export const StateFilter = oneOf(
  'pending',
  'retryable',
  'queued',
  'running',
  'terminal',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
)
export type StateFilter = Static<typeof StateFilter>

export const WaitingReason = oneOf(
  'dependencies',
  'schedule',
  'backoff',
  'step',
  'type_paused',
  'no_capable_worker',
  'tenant_limit',
  'fair_share',
)
export type WaitingReason = Static<typeof WaitingReason>

export const Progress = Type.Object({
  sequence: Type.Integer(),
  stage: Type.String(),
  current: Type.Integer(),
  total: nullable(Type.Integer()),
  message_code: nullable(Type.String()),
  recorded_at: Time,
})

export const JobView = Type.Object(
  {
    id: Id,
    tenant_id: Id,
    type: TypeName,
    schema_version: SchemaVersion,
    state: JobState,
    status: oneOf('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'),
    priority: Type.Integer(),
    input_ref: nullable(Id),
    result_ref: nullable(Id),
    idempotency_key: nullable(Type.String()),
    scheduled_at: nullable(Time),
    deadline_at: nullable(Time),
    cancel_requested_at: nullable(Time),
    created_at: Time,
    completed_at: nullable(Time),
    version: Type.Integer(),
    attempt_count: Type.Integer(),
    max_attempts: Type.Integer(),
    waiting_reason: nullable(WaitingReason),
    next_attempt_at: nullable(Time),
    progress: nullable(Progress),
    error: nullable(
      Type.Object({
        code: Type.String(),
        retryable: Type.Boolean(),
        cause_job_id: nullable(Id),
      }),
    ),
    usage: nullable(Type.Record(Type.String(), Type.Unknown())),
    depends_on: Type.Array(
      Type.Object({ job_id: Id, required_state: RequiredState, satisfied: Type.Boolean() }),
      { maxItems: 50 },
    ),
    retry_of_job_id: nullable(Id),
  },
  { title: 'Job' },
)
export type JobView = Static<typeof JobView>

export function statusOf(state: JobState): JobView['status'] {
  return state === 'pending' || state === 'retryable' ? 'queued' : state
}

export function isTerminal(state: JobState): boolean {
  return statusOf(state) === state && state !== 'running'
}
