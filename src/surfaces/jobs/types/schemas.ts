/** Job types on the wire. */
import { Type, type Static } from 'typebox'
import { closed, count, nullable, text, Time } from '#dodeca/kernel'
import { SchemaVersion, TypeName } from '../schemas.ts'

const JsonSchema = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const Backoff = closed({
  base_ms: count(1, 3_600_000),
  cap_ms: count(1, 86_400_000),
})

export const RegisterType = closed(
  {
    schema_version: SchemaVersion,
    parameters_schema: JsonSchema,
    result_schema: Type.Optional(JsonSchema),
    queue: Type.Optional(Type.String({ pattern: '^[a-z0-9_.-]{1,64}$', maxLength: 64 })),
    lease_seconds: Type.Optional(count(5, 900)),
    timeout_seconds: Type.Optional(count(1, 30 * 86_400)),
    max_attempts: Type.Optional(count(1, 50)),
    backoff: Type.Optional(Backoff),
    tenant_max_running: Type.Optional(count(1, 100_000)),
  },
  { title: 'RegisterJobType' },
)
export type RegisterType = Static<typeof RegisterType>

export const PauseType = closed(
  { reason: text(200), until: Type.Optional(nullable(Time)) },
  { title: 'PauseJobType' },
)
export type PauseType = Static<typeof PauseType>

/**
 * `kind`: part of the platform, an activity with its own queue, or registered for external workers.
 */
const Kind = Type.Unsafe<'built_in' | 'activity' | 'external'>({
  type: 'string',
  enum: ['built_in', 'activity', 'external'],
})

export const JobTypeView = Type.Object(
  {
    type: TypeName,
    kind: Kind,
    /** Whether `POST /v1/jobs` accepts it. */
    submittable: Type.Boolean(),
    schema_versions: Type.Array(Type.Integer(), { maxItems: 10_000 }),
    queue: Type.String(),
    lease_seconds: nullable(Type.Integer()),
    timeout_seconds: nullable(Type.Integer()),
    max_attempts: nullable(Type.Integer()),
    backoff: nullable(Type.Object({ base_ms: Type.Integer(), cap_ms: Type.Integer() })),
    tenant_max_running: nullable(Type.Integer()),
    paused: Type.Boolean(),
    pause_reason: nullable(Type.String()),
    paused_at: nullable(Time),
    paused_until: nullable(Time),
  },
  { title: 'JobType' },
)
export type JobTypeView = Static<typeof JobTypeView>

/** `running` is null for an activity, because its work is not counted here. */
export const PauseState = Type.Object(
  {
    type: TypeName,
    paused: Type.Boolean(),
    reason: nullable(Type.String()),
    paused_at: nullable(Time),
    paused_by: nullable(Type.String()),
    until: nullable(Time),
    running: nullable(Type.Integer()),
  },
  { title: 'JobTypePause' },
)
export type PauseState = Static<typeof PauseState>

/** For an activity only the pause is known here. */
export const TypeStats = Type.Object(
  {
    type: TypeName,
    waiting: nullable(Type.Integer()),
    running: nullable(Type.Integer()),
    oldest_waiting_seconds: nullable(Type.Integer()),
    failed_24h: nullable(Type.Integer()),
    paused: Type.Boolean(),
    capable_workers: nullable(Type.Integer()),
  },
  { title: 'JobTypeStats' },
)
