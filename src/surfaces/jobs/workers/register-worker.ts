/**
 * Registers an external worker with the types that it can run. The worker belongs to the account
 * that registered it first. The worker gets jobs of all tenants only if its owner may run each of
 * its types for all of them. Otherwise it gets the jobs of the owner's tenant. The platform itself
 * runs built-in types.
 */
import { Type } from 'typebox'
import { allowsType, lacks, sql, type Principal, type Reader, type Tx } from '#dodeca/kernel'
import { runner_topic } from '../topics.ts'
import { problem } from '../errors.ts'
import { readExternals } from '../types/external-types.ts'
import type { RegisterWorker, WorkerView } from './schemas.ts'

const Row = Type.Object({ last_seen_at: Type.String() })
const Foreign = Type.Object({ foreign: Type.Boolean() })

export async function registerWorker(
  tx: Tx,
  worker_id: string,
  asked: RegisterWorker,
  { principal, grants }: { principal: Principal; grants: ReadonlySet<string> },
): Promise<WorkerView> {
  const queue = asked.queue ?? 'default'
  const merged = mergeVersions(asked.capabilities)
  for (const type of merged.keys()) requireMayRun(grants, type)
  const all_tenants = [...merged.keys()].every(type => mayRunForAll(grants, type))
  await requireTypes(tx, queue, asked.capabilities)
  await requireOwner(tx, worker_id, principal)
  const pairs = [...merged].flatMap(([type, versions]) => versions.map(one => [type, one] as const))
  await tx.run(sql`
    -- any tenant: its owner states again what it can run
    delete from jobs.worker_capabilities where worker_id = ${worker_id}`)
  const rows = await tx.many(
    Row,
    sql`
    insert into jobs.worker_capabilities (worker_id, queue, capability, version, tenant_id,
      principal_id)
    select ${worker_id}::uuid, ${queue}, c.type, c.version,
      ${all_tenants ? null : principal.tenant_id}::uuid, ${principal.id}::uuid
    from unnest(
      ${pairs.map(([type]) => type)}::text[], ${pairs.map(([, version]) => version)}::int[]
    ) c (type, version)
    returning last_seen_at`,
  )
  // Jobs of these types may have waited for a worker that can run them.
  tx.wake(runner_topic)
  const capabilities = [...merged].map(([type, versions]) => ({ type, versions }))
  return { worker_id, queue, all_tenants, capabilities, last_seen_at: rows[0]?.last_seen_at ?? '' }
}

function mergeVersions(capabilities: RegisterWorker['capabilities']): Map<string, number[]> {
  const merged = new Map<string, number[]>()
  for (const { type, versions } of capabilities) {
    const all = new Set([...(merged.get(type) ?? []), ...versions])
    merged.set(
      type,
      [...all].toSorted((a, b) => a - b),
    )
  }
  return merged
}

function requireMayRun(grants: ReadonlySet<string>, type: string): void {
  if (mayRunForAll(grants, type) || allowsType(grants, 'jobs.workers.claim', type)) return
  throw lacks(`jobs.workers.claim:${type}`)
}

export function mayRunForAll(grants: ReadonlySet<string>, type: string): boolean {
  return allowsType(grants, 'jobs.workers.claim_any', type)
}

async function requireTypes(
  reader: Reader,
  queue: string,
  capabilities: RegisterWorker['capabilities'],
): Promise<void> {
  const known = new Map((await readExternals(reader)).map(one => [one.type, one]))
  capabilities.forEach(({ type, versions }, at) => {
    const found = known.get(type)
    const refuse = (code: Parameters<typeof problem>[0], member: string, constraint: string) =>
      problem(code, {
        errors: [{ location: 'body', pointer: `/capabilities/${at}/${member}`, constraint }],
      })
    if (!found) throw refuse('unknown_job_type', 'type', 'known')
    if (found.queue !== queue) throw refuse('validation_failed', 'type', 'queue')
    if (!versions.every(version => found.versions.includes(version))) {
      throw refuse('unsupported_schema_version', 'versions', 'known')
    }
  })
}

/**
 * Registrations of one worker id run one after the other. If two accounts chose the same id, the
 * first one gets it.
 */
async function requireOwner(tx: Tx, worker_id: string, { id }: Principal): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('jobs.worker'), hashtext(${worker_id}))`)
  const { foreign } = await tx.one(
    Foreign,
    sql`
    -- any tenant: an id that another caller chose is taken
    select exists (select from jobs.worker_capabilities
      where worker_id = ${worker_id} and principal_id is distinct from ${id}) as foreign`,
  )
  if (foreign) throw problem('worker_not_found')
}
