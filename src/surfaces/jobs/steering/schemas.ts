/** What is asked of jobs that exist, on the wire. */
import { Type, type Static } from 'typebox'
import { closed, count, nullable, text, Time } from '../../../kernel/http/shapes.ts'
import { Priority, TypeName } from '../schemas.ts'

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
