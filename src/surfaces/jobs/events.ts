/**
 * The events of the jobs surface. The four ends are the completion events of all long work of the
 * platform. They are emitted in the transaction that ends the job, after its result is stored.
 */
import { Type } from 'typebox'
import { Id, nullable, Time } from '#dodeca/kernel'

const TypeName = Type.String({ maxLength: 100 })

const ended = {
  version: 1,
  data: Type.Object({
    job_id: Id,
    type: TypeName,
    schema_version: Type.Integer(),
    state: Type.String({ maxLength: 20 }),
    error_code: nullable(Type.String({ maxLength: 64 })),
    attempt_count: Type.Integer(),
    has_result: Type.Boolean(),
    created_at: Time,
    started_at: nullable(Time),
    completed_at: Time,
  }),
}

const stopped = {
  version: 1,
  data: Type.Object({
    rule_id: Id,
    name: Type.String({ maxLength: 100 }),
    type: TypeName,
    reason: Type.String({ maxLength: 64 }),
  }),
}

export const events = {
  'job.succeeded': ended,
  'job.failed': ended,
  'job.cancelled': ended,
  'job.expired': ended,
  'job_type.paused': {
    version: 1,
    data: Type.Object({ type: TypeName, reason: Type.String(), until: nullable(Time) }),
  },
  'job_schedule.paused': {
    version: 1,
    data: Type.Object({
      schedule_id: Id,
      name: Type.String({ maxLength: 100 }),
      type: TypeName,
      reason: Type.String({ maxLength: 64 }),
    }),
  },
  'job_rule.paused': stopped,
  'job_rule.disabled': stopped,
  'job_rule.missed': stopped,
  'job_type.resumed': { version: 1, data: Type.Object({ type: TypeName }) },
} as const
