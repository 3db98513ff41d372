/**
 * The lock that settles every race over the end of an attempt. A caller gets it with the token of a
 * valid lease and the job's current version. The sweep gets it after the lease has expired.
 * Attempts are locked before jobs. Later steps use only what is read here.
 */
import { Type, type Static } from 'typebox'
import { sql, type Sql, type Tx } from '#dodeca/kernel'
import { lapsedInOutage } from './note-outages.ts'

export const Held = Type.Object({
  attempt_id: Type.String(),
  attempt_no: Type.Integer(),
  started_at: Type.String(),
  job_id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  rank: Type.Integer(),
  version: Type.Integer(),
  last_sequence: Type.Integer(),
  attempt_count: Type.Integer(),
  max_attempts: Type.Integer(),
  failures: Type.Integer(),
  losses: Type.Integer(),
  cancel_requested: Type.Boolean(),
  has_dependents: Type.Boolean(),
  deadline_at: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String(),
  traceparent: Type.Union([Type.String(), Type.Null()]),
  /** The platform's time when the lock was taken. */
  now: Type.String(),
})
export type Held = Static<typeof Held>

export type Shown = {
  readonly attempt_id: string
  readonly token_hash: Buffer
  readonly version: number
}

const held = sql`
  a.id as attempt_id, a.attempt_no, a.started_at, a.job_id, a.tenant_id, a.type,
  a.schema_version, j.priority as rank, j.version, j.last_sequence, j.attempt_count,
  j.max_attempts, j.failures, j.losses, j.cancel_requested_at is not null as cancel_requested,
  j.has_dependents, j.deadline_at, j.created_at, j.traceparent,
  (select kernel.now()) as now`

/** The attempts whose token and version are current. */
export async function holdShown(tx: Tx, shown: readonly Shown[]): Promise<Held[]> {
  return await tx.many(Held, shownStatement(shown))
}

/**
 * The given values are looked up by their index. A join would compare all of them with all rows.
 */
export function shownStatement(shown: readonly Shown[]): Sql {
  const ids = shown.map(one => one.attempt_id)
  return sql`
    -- any tenant: a lease token is for one attempt
    select ${held}
    from jobs.job_attempts a
    join jobs.jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id
    where a.id = any (${ids}::uuid[])
      and a.state = 'running'
      and a.leased_until > now()
      and a.lease_token = (${shown.map(one => one.token_hash)}::bytea[])[
        array_position(${ids}::uuid[], a.id)]
      and j.version = (${shown.map(one => one.version)}::int[])[
        array_position(${ids}::uuid[], a.id)]
    for update of a, j`
}

export const Lapsed = Type.Object({
  ...Held.properties,
  why: Type.Unsafe<'lost' | 'interrupted' | 'timed_out' | 'overdue'>(Type.String()),
})
export type Lapsed = Static<typeof Lapsed>

/**
 * Attempts whose lease has expired, and why: a lease never lasts beyond the attempt's time or the
 * job's deadline.
 */
export async function holdLapsed(
  tx: Tx,
  limit: number,
  except: readonly string[],
): Promise<Lapsed[]> {
  return await tx.many(
    Lapsed,
    sql`
    -- any tenant: a sweep
    select ${held},
      case when a.timeout_at <= now() then 'timed_out'
        when j.deadline_at <= kernel.now() then 'overdue'
        when ${lapsedInOutage} then 'interrupted'
        else 'lost' end as why
    from jobs.job_attempts a
    join jobs.jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id
    where a.state = 'running' and a.leased_until <= now() and a.job_id <> all (${except}::uuid[])
    limit ${limit}
    for update of a, j skip locked`,
  )
}

export const HeldAttempt = Type.Object({
  attempt_id: Type.String(),
  job_id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
})
export type HeldAttempt = Static<typeof HeldAttempt>

/** For writes under a lease that do not end the attempt. */
export async function holdAttempt(
  tx: Tx,
  shown: Pick<Shown, 'attempt_id' | 'token_hash'>,
): Promise<HeldAttempt | undefined> {
  return await tx.maybe(
    HeldAttempt,
    sql`
    -- any tenant: a lease token is for one attempt
    select a.id as attempt_id, a.job_id, a.tenant_id, a.type, a.schema_version
    from jobs.job_attempts a
    where a.id = ${shown.attempt_id} and a.lease_token = ${shown.token_hash}
      and a.state = 'running' and a.leased_until > now()
    for no key update`,
  )
}
