/** Orders for jobs on the wire. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, text, Time } from '#dodeca/kernel'
import { JobView, Priority, RequiredState, SchemaVersion, TypeName } from '../schemas.ts'

/** These parameters are checked against the schema of the type. */
const Parameters = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

const order = {
  type: TypeName,
  schema_version: Type.Optional(SchemaVersion),
  parameters: Type.Optional(Parameters),
  input_ref: Type.Optional(Id),
  priority: Type.Optional(Priority),
  scheduled_at: Type.Optional(Time),
  deadline_at: Type.Optional(Time),
  max_attempts: Type.Optional(count(1, 50)),
  depends_on: Type.Optional(
    Type.Array(closed({ job_id: Id, required_state: Type.Optional(RequiredState) }), {
      maxItems: 50,
    }),
  ),
}

/** Restrictions of other APIs that have no effect here, with what to use instead. */
export const instead_of_jobs = {
  unique_key: 'Idempotency-Key',
  timeout: 'deadline_at',
  expires_at: 'deadline_at',
  max_retries: 'max_attempts',
  run_at: 'scheduled_at',
  delay: 'scheduled_at',
} as const

export const SubmitJob = closed(order, { title: 'SubmitJob' })
export type SubmitJob = Static<typeof SubmitJob>

const Ref = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
  minLength: 1,
  maxLength: 64,
})

export const SubmitBatch = closed(
  {
    jobs: Type.Array(
      closed({
        ...order,
        ref: Ref,
        depends_on_refs: Type.Optional(
          Type.Array(closed({ ref: Ref, required_state: Type.Optional(RequiredState) }), {
            maxItems: 50,
          }),
        ),
      }),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { title: 'SubmitJobs' },
)
export type SubmitBatch = Static<typeof SubmitBatch>

export const BatchView = Type.Object(
  { status: Type.Literal('queued'), jobs: Type.Record(Type.String(), JobView) },
  { title: 'SubmittedJobs' },
)

export const CancelJob = closed({ reason: Type.Optional(text(200)) }, { title: 'CancelJob' })

export const RetryJob = closed(
  {
    mode: Type.Optional(
      Type.Unsafe<'same_job' | 'new_job'>({ type: 'string', enum: ['same_job', 'new_job'] }),
    ),
  },
  { title: 'RetryJob' },
)

export const ChangeJob = closed(
  { priority: Type.Optional(Priority), scheduled_at: Type.Optional(nullable(Time)) },
  { title: 'ChangeJob' },
)
export type ChangeJob = Static<typeof ChangeJob>

export const Redrive = closed(
  { type: TypeName, error_code: Type.Optional(text(64)), limit: count(1, 1000) },
  { title: 'RedriveJobs' },
)
export type Redrive = Static<typeof Redrive>

export const Redriven = Type.Object({ retried: Type.Integer() }, { title: 'RedrivenJobs' })
