/** Rules on the wire, and as the consumer reads them. */
import { Type, type Static } from 'typebox'
import {
  closed,
  columnsOf,
  count,
  Id,
  limit,
  nullable,
  oneOf,
  sql,
  Time,
  Version,
} from '#dodeca/kernel'
import { Priority, SchemaVersion, TypeName } from '../schemas.ts'

export const permission = 'jobs.rules.write'

export const RuleName = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,99}$' })

const EventPattern = Type.String({
  pattern: String.raw`^(\*|[A-Za-z0-9_]+(\.([a-z0-9_]+(\.[a-z0-9_]+)?|\*))?)$`,
  maxLength: 100,
})

const Pointer = Type.String({ pattern: '^(/([^~/]|~[01])*)+$', maxLength: 200 })
const Is = oneOf('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'exists')

export const Condition = closed({
  at: Pointer,
  is: Is,
  value: Type.Optional(Type.Unknown()),
})
export type Condition = Static<typeof Condition>

const Parameters = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const delay_seconds_max = limit(
  'jobs.rule_delay_seconds',
  366 * 86_400,
  'seconds',
  'The time between an event and the job of a rule',
)

export const PutRule = closed(
  {
    event: EventPattern,
    where: Type.Optional(Type.Array(Condition, { maxItems: 10 })),
    job: closed({
      type: TypeName,
      schema_version: Type.Optional(SchemaVersion),
      parameters: Type.Optional(Parameters),
      priority: Type.Optional(Priority),
      delay_seconds: Type.Optional(count(0, delay_seconds_max)),
    }),
    paused: Type.Optional(Type.Boolean()),
  },
  { title: 'PutJobRule' },
)
export type PutRule = Static<typeof PutRule>

export const Rule = Type.Object(
  {
    id: Id,
    name: RuleName,
    event: Type.String(),
    where: Type.Array(Condition),
    job: Type.Object({
      type: TypeName,
      schema_version: SchemaVersion,
      parameters: Type.Record(Type.String(), Type.Unknown()),
      priority: count(0, 9),
      delay_seconds: count(0, delay_seconds_max),
    }),
    state: oneOf('active', 'paused', 'disabled'),
    /**
     * Why the platform stopped it: `too_many_runs`, or `owner_revoked` if its owner lost a right.
     * Replace it to resume it.
     */
    reason: nullable(Type.String()),
    runs: Type.Integer(),
    last_run_at: nullable(Time),
    last_job_id: nullable(Id),
    /** How many matching events made no job, and why the last one made none. */
    missed: Type.Integer(),
    last_error_code: nullable(Type.String()),
    version: Version,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'JobRule' },
)
export type Rule = Static<typeof Rule>

/** Of `jobs.job_rules r`. */
export const ruleColumns = columnsOf(Rule, 'r', {
  where: sql`r.conditions`,
  job: sql`
    json_build_object('type', r.type, 'schema_version', r.schema_version,
      'parameters', r.parameters, 'priority', r.priority, 'delay_seconds', r.delay_seconds)`,
})

/** The part of a rule that the consumer works with. */
export const ActiveRule = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  name: Type.String(),
  principal_id: Type.String(),
  session_id: nullable(Type.String()),
  event: Type.String(),
  conditions: Type.Array(Condition),
  type: Type.String(),
  schema_version: Type.Integer(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  priority: Type.Integer(),
  delay_seconds: Type.Integer(),
  from_position: Type.Integer(),
  hour_began: Type.String(),
  runs_in_hour: Type.Integer(),
  missed_said_at: nullable(Type.String()),
  version: Type.Integer(),
})
export type ActiveRule = Static<typeof ActiveRule>
