/** Steps and signals on the wire. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'

export const SendSignal = closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[A-Za-z0-9][A-Za-z0-9 _.:-]{0,99}$',
    }),
    data: Type.Optional(Type.Unknown()),
  },
  { title: 'SendSignal' },
)

export const SignalView = Type.Object(
  { id: Id, job_id: Id, name: Type.String(), status: oneOf('accepted') },
  { title: 'Signal' },
)

export const StepView = Type.Object(
  {
    /** The order in which the steps were first recorded. */
    sequence: Type.Integer(),
    name: Type.String(),
    kind: oneOf('write', 'run', 'sleep', 'event', 'signal', 'invoke', 'undo'),
    state: oneOf('waiting', 'retrying', 'done', 'failed', 'timed_out'),
    attempts: Type.Integer(),
    /** Null also for callers who may not read the result of the job. */
    result: Type.Unknown(),
    error_code: nullable(text(64)),
    until: nullable(Time),
    child_job_id: nullable(Id),
    created_at: Time,
    completed_at: nullable(Time),
  },
  { title: 'Step' },
)
export type StepView = Static<typeof StepView>
