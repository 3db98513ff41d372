/**
 * Types that were registered over HTTP, as rows with a cache. The schemas of a version never change
 * and are compiled once. The rules are read again at most once a second.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, nullable, sql, type Fit, type Reader } from '#dodeca/kernel'
import { compileRegistered } from './schema-guard.ts'

const External = Type.Object({
  type: Type.String(),
  queue: Type.String(),
  lease_seconds: nullable(Type.Integer()),
  timeout_seconds: nullable(Type.Integer()),
  max_attempts: nullable(Type.Integer()),
  backoff_base_ms: nullable(Type.Integer()),
  backoff_cap_ms: nullable(Type.Integer()),
  tenant_max_running: nullable(Type.Integer()),
  versions: Type.Array(Type.Integer()),
})
export type External = Static<typeof External>

const columns = columnsOf(External, 't', {
  versions: sql`
    array(select v.schema_version from jobs.job_type_versions v
      where v.type = t.type order by v.schema_version)`,
})

export async function readExternal(reader: Reader, type: string): Promise<External | undefined> {
  return await reader.maybe(
    External,
    sql`select ${columns} from jobs.job_types t where t.type = ${type} and t.kind = 'external'`,
  )
}

export async function readExternals(reader: Reader): Promise<External[]> {
  return await reader.many(
    External,
    sql`select ${columns} from jobs.job_types t where t.kind = 'external' order by t.type`,
  )
}

const Schemas = Type.Object({
  parameters_schema: Type.Unsafe<object>(Type.Any()),
  result_schema: Type.Unsafe<object | null>(Type.Any()),
})

/** `result` is null if any result is accepted. */
export type Fits = { readonly parameters: Fit; readonly result: Fit | null }

export type ExternalFits = {
  of(reader: Reader, type: string, schema_version: number): Promise<Fits | undefined>
}

const kept_max = 1000

export function openExternalFits(): ExternalFits {
  const kept = new Map<string, Fits>()
  return {
    of: async (reader, type, schema_version) => {
      const name = `${type} ${schema_version}`
      const known = kept.get(name)
      if (known) return known
      const found = await reader.maybe(
        Schemas,
        sql`
          select parameters_schema, result_schema from jobs.job_type_versions
          where type = ${type} and schema_version = ${schema_version}`,
      )
      if (!found) return undefined
      const fits = {
        parameters: await compileRegistered(found.parameters_schema),
        result: found.result_schema && (await compileRegistered(found.result_schema)),
      }
      if (kept.size >= kept_max) for (const oldest of kept.keys()) if (kept.delete(oldest)) break
      kept.set(name, fits)
      return fits
    },
  }
}
