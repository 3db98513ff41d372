/**
 * Registers a type for external workers, or a further version of it. A version's schemas never
 * change, because waiting jobs were checked against them. The rules of a type may change at any
 * time, with immediate effect.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireSchema } from './schema-guard.ts'
import type { RegisterType } from './schemas.ts'

const Same = Type.Object({ same: Type.Boolean() })

/** Returns whether the version is new. */
export async function registerType(
  tx: Tx,
  { types, kernel: { settings } }: Pick<Deps, 'types' | 'kernel'>,
  type: string,
  given: RegisterType,
): Promise<boolean> {
  const bytes_max = settings['jobs.schema_bytes']
  await requireSchema(given.parameters_schema, 'parameters_schema', bytes_max)
  if (given.result_schema) await requireSchema(given.result_schema, 'result_schema', bytes_max)
  const { base_ms = null, cap_ms = null } = given.backoff ?? {}
  if (base_ms !== null && cap_ms !== null && base_ms > cap_ms) {
    const errors = [
      { location: 'body', pointer: '/backoff/cap_ms', constraint: 'minimum' },
    ] as const
    throw problem('validation_failed', { errors })
  }
  const kind = await types.kindOf(tx, type)
  if (kind && kind !== 'external') throw problem('job_type_reserved')
  await tx.run(sql`
    insert into jobs.job_types as t (type, kind, queue, lease_seconds, timeout_seconds,
      max_attempts, backoff_base_ms, backoff_cap_ms, tenant_max_running)
    values (${type}, 'external', ${given.queue ?? 'default'}, ${given.lease_seconds ?? null},
      ${given.timeout_seconds ?? null}, ${given.max_attempts ?? null}, ${base_ms}, ${cap_ms},
      ${given.tenant_max_running ?? null})
    on conflict (type) do update
      set queue = excluded.queue, lease_seconds = excluded.lease_seconds,
        timeout_seconds = excluded.timeout_seconds, max_attempts = excluded.max_attempts,
        backoff_base_ms = excluded.backoff_base_ms, backoff_cap_ms = excluded.backoff_cap_ms,
        tenant_max_running = excluded.tenant_max_running, version = t.version + 1,
        updated_at = kernel.now()`)
  const made = await keepVersion(tx, type, given)
  tx.audit('jobs.types.write', type)
  tx.afterCommit(types.stale)
  return made
}

async function keepVersion(tx: Tx, type: string, given: RegisterType): Promise<boolean> {
  const parameters = sql.json(given.parameters_schema)
  const result = given.result_schema ? sql.json(given.result_schema) : null
  const made = await tx.run(sql`
    insert into jobs.job_type_versions (type, schema_version, parameters_schema, result_schema)
    values (${type}, ${given.schema_version}, ${parameters}, ${result})
    on conflict (type, schema_version) do nothing`)
  if (made === 1) return true
  const { same } = await tx.one(
    Same,
    sql`
    select parameters_schema = ${parameters}::jsonb
      and result_schema is not distinct from ${result}::jsonb as same
    from jobs.job_type_versions
    where type = ${type} and schema_version = ${given.schema_version}`,
  )
  if (!same) throw problem('schema_immutable')
  return false
}
