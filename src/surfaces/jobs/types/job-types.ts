/**
 * Every job type. The types of the surfaces are code, and the types that were registered over HTTP
 * are rows. A type has one set of rules, and one schema for each of its versions.
 */
import { compileSchema, type Fit, type JobType, type Reader } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'
import type { TypeRules, TypeVersion } from '../attempts/rules.ts'
import {
  openExternalFits,
  readExternal,
  readExternals,
  type External,
  type ExternalFits,
  type Fits,
} from './external-types.ts'

export type Kind = 'built_in' | 'activity' | 'external'

/** A version of a type to submit. */
export type KnownType = TypeVersion & {
  readonly kind: Kind
  /** Whether it may be submitted over HTTP. */
  readonly offered: boolean
  readonly max_attempts: number
  readonly fits: Fits
}

export type JobTypes = {
  offer(types: readonly JobType[]): void
  activities(names: readonly string[]): void
  builtIn(one: TypeVersion): JobType | undefined
  builtIns(): readonly JobType[]
  activityNames(): readonly string[]
  /** The newest version by default. It throws if there is no such type or version. */
  resolve(reader: Reader, type: string, schema_version: number | undefined): Promise<KnownType>
  kindOf(reader: Reader, type: string): Promise<Kind | undefined>
  checkResult(reader: Reader, one: TypeVersion, value: unknown): Promise<void>
  /** Reads from the cache. If external types matter, call `fresh` before. */
  rulesOf(one: TypeVersion): TypeRules
  defaults(one: Partial<External> | undefined): Omit<TypeRules, 'type' | 'schema_version'> & {
    max_attempts: number
  }
  /**
   * Reads the external types again, with the caller's connection, unless this happened within the
   * last second.
   */
  fresh(reader: Reader): Promise<void>
  /** Makes the next `fresh` read again. */
  stale(): void
}

const fresh_ms = 1000
const nameOf = ({ type, schema_version }: TypeVersion) => `${type} ${schema_version}`

/** Our own schemas are valid, and compiling them takes a sixth of the start-up time. */
function fitAtFirstUse(schema: object): Fit {
  let fit: Promise<Fit> | undefined
  return async (value, pointer) => (await (fit ??= compileSchema(schema)))(value, pointer)
}

export function openJobTypes({ settings }: Pick<Kernel, 'settings'>): JobTypes {
  const built = new Map<string, { readonly type: JobType; readonly fits: Fits }>()
  const newest = new Map<string, number>()
  const activities = new Set<string>()
  const externals = new Map<string, External>()
  const external_fits = openExternalFits()
  let read_at_ms = Number.NEGATIVE_INFINITY
  const defaults = defaultsFrom(settings)
  const builtIn = (one: TypeVersion) => built.get(nameOf(one))?.type
  const types: JobTypes = {
    offer: given => {
      for (const type of given) {
        if (built.has(nameOf(type)))
          throw new Error(`the job type ${nameOf(type)} is offered twice`)
        const result = type.result ? fitAtFirstUse(type.result) : null
        const parameters = fitAtFirstUse(type.parameters)
        built.set(nameOf(type), { type, fits: { parameters, result } })
        newest.set(type.type, Math.max(newest.get(type.type) ?? 0, type.schema_version))
      }
    },
    activities: names => names.forEach(name => activities.add(name)),
    builtIn,
    builtIns: () => [...built.values()].map(({ type }) => type),
    activityNames: () => [...activities],
    resolve: async (reader, type, schema_version) => {
      const last = newest.get(type)
      if (last === undefined) {
        return await resolveExternal(reader, external_fits, defaults, { type, schema_version })
      }
      const found = built.get(nameOf({ type, schema_version: schema_version ?? last }))
      if (!found) throw problem('unsupported_schema_version')
      return {
        type,
        schema_version: found.type.schema_version,
        kind: 'built_in',
        offered: found.type.offered === true,
        max_attempts: found.type.max_attempts ?? settings['jobs.max_attempts'],
        fits: found.fits,
      }
    },
    kindOf: async (reader, type) => {
      if (newest.has(type)) return 'built_in'
      if (activities.has(type)) return 'activity'
      return (await readExternal(reader, type)) && 'external'
    },
    checkResult: async (reader, one, value) => {
      const known = built.get(nameOf(one))?.fits
      const fits = known ?? (await external_fits.of(reader, one.type, one.schema_version))
      const faults = (await fits?.result?.(value, '/result')) ?? []
      if (faults.length > 0) throw problem('result_invalid', { errors: faults })
    },
    rulesOf: ({ type, schema_version }) => {
      const own = builtIn({ type, schema_version })
      const { max_attempts: _, ...rules } = defaults(own ? rowOf(own) : externals.get(type))
      return { type, schema_version, ...rules }
    },
    defaults,
    fresh: async reader => {
      if (performance.now() - read_at_ms < fresh_ms) return
      const rows = await readExternals(reader)
      externals.clear()
      for (const row of rows) externals.set(row.type, row)
      read_at_ms = performance.now()
    },
    stale: () => {
      read_at_ms = Number.NEGATIVE_INFINITY
    },
  }
  return types
}

async function resolveExternal(
  reader: Reader,
  external_fits: ExternalFits,
  defaults: JobTypes['defaults'],
  { type, schema_version }: { type: string; schema_version: number | undefined },
): Promise<KnownType> {
  const row = await readExternal(reader, type)
  if (!row) throw problem('unknown_job_type')
  const version = schema_version ?? row.versions.at(-1)
  const known = version !== undefined && row.versions.includes(version)
  const fits = known ? await external_fits.of(reader, type, version) : undefined
  if (!fits || version === undefined) throw problem('unsupported_schema_version')
  const { max_attempts } = defaults(row)
  return { type, schema_version: version, kind: 'external', offered: true, max_attempts, fits }
}

function rowOf(type: JobType): Partial<External> {
  return {
    lease_seconds: type.lease_seconds ?? null,
    timeout_seconds: type.timeout_seconds ?? null,
    max_attempts: type.max_attempts ?? null,
    backoff_base_ms: type.backoff?.base_ms ?? null,
    backoff_cap_ms: type.backoff?.cap_ms ?? null,
    tenant_max_running: type.tenant_max_running ?? null,
  }
}

function defaultsFrom(settings: Kernel['settings']): JobTypes['defaults'] {
  return row => ({
    lease_seconds: row?.lease_seconds ?? settings['jobs.lease_seconds'],
    timeout_seconds: row?.timeout_seconds ?? settings['jobs.timeout_seconds'],
    max_attempts: row?.max_attempts ?? settings['jobs.max_attempts'],
    backoff: {
      base_ms: row?.backoff_base_ms ?? settings['jobs.backoff_base_ms'],
      cap_ms: row?.backoff_cap_ms ?? settings['jobs.backoff_cap_ms'],
    },
    tenant_max_running: row?.tenant_max_running ?? null,
  })
}
