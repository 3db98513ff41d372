/**
 * A registered worker with the permissions that its owner has now. Permissions that were removed
 * have no effect. Each claim or renewal of leases records that the worker is alive.
 */
import { Type } from 'typebox'
import { allowsType, sql, type Db, type Principal, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { TypeVersion } from '../attempts/rules.ts'
import type { HeldBy } from '../attempts/runner/heartbeat.ts'
import { mayRunForAll } from './register-worker.ts'

const Row = Type.Object({
  type: Type.String(),
  schema_version: Type.Integer(),
  all_tenants: Type.Boolean(),
})

export type FoundWorker = {
  readonly types: readonly TypeVersion[]
  /** Null means all tenants. */
  readonly tenant_id: string | null
}

type Caller = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

export async function findWorker(
  reader: Reader,
  worker_id: string,
  { principal, grants }: Caller,
): Promise<FoundWorker> {
  const rows = await reader.many(
    Row,
    sql`
    select capability as type, version as schema_version, tenant_id is null as all_tenants
    from jobs.worker_capabilities
    where worker_id = ${worker_id} and principal_id = ${principal.id}
      and (tenant_id = ${principal.tenant_id} or tenant_id is null)`,
  )
  if (rows.length === 0) throw problem('worker_not_found')
  const tenant_id = rows.every(one => one.all_tenants) ? null : principal.tenant_id
  return { types: typesFor({ types: rows, tenant_id }, grants), tenant_id }
}

/** The types of the worker that these grants allow. */
export function typesFor(
  { types, tenant_id }: FoundWorker,
  grants: ReadonlySet<string>,
): FoundWorker['types'] {
  return types.filter(
    ({ type }) =>
      mayRunForAll(grants, type) ||
      (tenant_id !== null && allowsType(grants, 'jobs.workers.claim', type)),
  )
}

/** The leases that a worker of this caller may renew. */
export function heldBy(worker_id: string, { principal: { tenant_id }, grants }: Caller): HeldBy {
  const typesIn = (permission: string) =>
    [...grants].flatMap(one =>
      one.startsWith(`${permission}:`) ? [one.slice(permission.length + 1)] : [],
    )
  return {
    worker_id,
    tenant_id,
    own: typesIn('jobs.workers.claim'),
    any: typesIn('jobs.workers.claim_any'),
  }
}

/** Every ten seconds is enough: it counts as gone after a minute. */
export async function seeWorker(db: Db, worker_id: string, { id }: Principal): Promise<void> {
  await db.run(sql`
    -- any tenant: a worker of this very principal
    update jobs.worker_capabilities set last_seen_at = now()
    where worker_id = ${worker_id} and principal_id = ${id}
      and last_seen_at < now() - interval '10 seconds'`)
}
