/** All job types in the order of their names: code and rows in one list, with their pauses. */
import { Type, type Static } from 'typebox'
import { nullable, sql, Time, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { readExternals } from './external-types.ts'
import type { JobTypeView } from './schemas.ts'

const Paused = Type.Object({
  type: Type.String(),
  paused_at: nullable(Time),
  paused_until: nullable(Time),
  pause_reason: nullable(Type.String()),
})
type Paused = Static<typeof Paused>

type Unpaused = Omit<JobTypeView, 'paused' | 'pause_reason' | 'paused_at' | 'paused_until'>

export async function allTypes(
  reader: Reader,
  { types }: Pick<Deps, 'types'>,
): Promise<JobTypeView[]> {
  const paused = await reader.many(
    Paused,
    sql`
    select type, paused_at, paused_until, pause_reason from jobs.job_types
    where paused_at is not null and (paused_until is null or paused_until > kernel.now())`,
  )
  const pauses = new Map(paused.map(one => [one.type, one]))
  const externals = await readExternals(reader)
  const all = [
    ...builtIns(types),
    ...types.activityNames().map(activity),
    ...externals.map((row): Unpaused => {
      const { max_attempts, ...rules } = types.defaults(row)
      const { type, queue, versions } = row
      const named = { type, queue, schema_versions: versions, submittable: true }
      return { ...named, kind: 'external', max_attempts, ...rules }
    }),
  ]
  return all
    .map(one => withPause(one, pauses.get(one.type)))
    .sort((one, other) => (one.type < other.type ? -1 : 1))
}

/** The types that `POST /v1/jobs` accepts, for any caller. */
export async function submittableTypes(
  reader: Reader,
  { types }: Pick<Deps, 'types'>,
): Promise<string[]> {
  const own = types.builtIns().filter(one => one.offered)
  const all = [...own, ...(await readExternals(reader))].map(one => one.type)
  return [...new Set(all)].sort()
}

function builtIns(types: Deps['types']): Unpaused[] {
  const newest = new Map(
    [...types.builtIns()]
      .sort((one, other) => one.schema_version - other.schema_version)
      .map(one => [one.type, one]),
  )
  return [...newest.values()].map((one): Unpaused => {
    const { type: _type, schema_version: _version, ...rules } = types.rulesOf(one)
    const versions = types.builtIns().filter(other => other.type === one.type)
    return {
      type: one.type,
      kind: 'built_in',
      submittable: one.offered === true,
      schema_versions: versions.map(other => other.schema_version).sort((a, b) => a - b),
      queue: 'default',
      max_attempts: one.max_attempts ?? types.defaults(undefined).max_attempts,
      ...rules,
    }
  })
}

function activity(type: string): Unpaused {
  return {
    type,
    kind: 'activity',
    submittable: false,
    schema_versions: [],
    queue: 'default',
    lease_seconds: null,
    timeout_seconds: null,
    max_attempts: null,
    backoff: null,
    tenant_max_running: null,
  }
}

function withPause(one: Unpaused, pause: Paused | undefined): JobTypeView {
  const { paused_at = null, paused_until = null, pause_reason = null } = pause ?? {}
  return { ...one, paused: pause !== undefined, pause_reason, paused_at, paused_until }
}
