/** Schedules on the wire. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time, Version } from '#dodeca/kernel'
import { Priority, SchemaVersion, TypeName } from '../schemas.ts'

export const ScheduleName = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,99}$' })
const CatchUp = oneOf('skip', 'latest', 'all')
const Overlap = oneOf('allow', 'skip')
const Parameters = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

export const PutSchedule = closed(
  {
    type: TypeName,
    schema_version: Type.Optional(SchemaVersion),
    parameters: Type.Optional(Parameters),
    cron: text(200),
    timezone: Type.Optional(text(64)),
    enabled: Type.Optional(Type.Boolean()),
    catch_up: Type.Optional(CatchUp),
    overlap: Type.Optional(Overlap),
    priority: Type.Optional(Priority),
  },
  { title: 'PutJobSchedule' },
)
export type PutSchedule = Static<typeof PutSchedule>

export const Schedule = Type.Object(
  {
    id: Id,
    name: ScheduleName,
    type: TypeName,
    schema_version: SchemaVersion,
    parameters: Type.Record(Type.String(), Type.Unknown()),
    cron: Type.String(),
    timezone: Type.String(),
    enabled: Type.Boolean(),
    catch_up: CatchUp,
    overlap: Overlap,
    priority: count(0, 9),
    next_run_at: nullable(Time),
    last_run_at: nullable(Time),
    last_job_id: nullable(Id),
    /** The reason why the last due run created no job. */
    last_error_code: nullable(Type.String()),
    /** `owner_revoked`: its owner may no longer schedule its type. Replace it to resume it. */
    paused_reason: nullable(Type.String()),
    paused_at: nullable(Time),
    version: Version,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'JobSchedule' },
)
export type Schedule = Static<typeof Schedule>
