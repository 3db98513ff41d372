/**
 * Renews leases, with one statement for all leases of a worker. It updates no index and increments
 * no version. It returns what the worker must know: whether a lease is lost, whether the job should
 * be cancelled, and how long the attempt may continue.
 */
import { Type, type Static } from 'typebox'
import { sql, type Db, type Sql } from '#dodeca/kernel'
import { Bytes } from '../../schemas.ts'
import { leaseEnd } from '../lease-end.ts'

export type HeldLease = { readonly attempt_id: string; readonly token_hash: Buffer }

/** For an external worker: only its own attempts, of types that its owner may still run. */
export type HeldBy = {
  readonly worker_id: string
  /**
   * Types that it may run for its tenant, and types that it may run for all tenants. `*` means
   * every type.
   */
  readonly tenant_id: string
  readonly own: readonly string[]
  readonly any: readonly string[]
}

export const Renewed = Type.Object({
  attempt_id: Type.String(),
  token_hash: Bytes,
  leased_until: Type.String(),
  version: Type.Integer(),
  cancel_requested: Type.Boolean(),
  deadline_at: Type.Union([Type.String(), Type.Null()]),
})
export type Renewed = Static<typeof Renewed>

/** Attempts that are not in the result are lost. */
export async function renewLeases(
  db: Db,
  leases: readonly HeldLease[],
  grace_seconds: number,
  by: HeldBy | null = null,
): Promise<Renewed[]> {
  return await db.many(
    Renewed,
    sql`
    -- any tenant: a lease token is for one attempt
    update jobs.job_attempts a
    set heartbeat_at = now(),
      leased_until = greatest(a.leased_until, ${leaseEnd({
        lease_seconds: sql`a.lease_seconds`,
        timeout_at: sql`a.timeout_at`,
        grace_seconds,
        job: sql`j`,
      })})
    from unnest(
      ${leases.map(one => one.attempt_id)}::uuid[],
      ${leases.map(one => one.token_hash)}::bytea[]
    ) held (attempt_id, token_hash), jobs.jobs j
    where a.id = held.attempt_id and a.lease_token = held.token_hash
      and a.state = 'running' and a.leased_until > now()
      and j.tenant_id = a.tenant_id and j.id = a.job_id ${by ? isOf(by) : sql``}
    returning a.id as attempt_id, a.lease_token as token_hash, a.leased_until, j.version,
      j.cancel_requested_at is not null as cancel_requested, j.deadline_at`,
  )
}

function isOf({ worker_id, tenant_id, own, any }: HeldBy): Sql {
  return sql`
    and a.worker_id = ${worker_id} and (array[a.type, '*'] && ${any}::text[]
      or a.tenant_id = ${tenant_id} and array[a.type, '*'] && ${own}::text[])`
}
