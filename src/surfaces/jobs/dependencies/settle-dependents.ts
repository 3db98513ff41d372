/**
 * Settles the jobs that wait for a job, when that job ends. An edge is satisfied once. A job may
 * run when its last edge is satisfied. A job fails if it waits for a success that can no longer
 * happen. Its cause is the first failed ancestor, and its own dependents fail too. The waiting rows
 * are locked before the edges are read, each step in its own statement with a new snapshot. So if
 * two parents end at the same time, the second one sees the effect of the first. One transaction
 * settles a limited number of jobs, because a job may have a hundred thousand dependents, or the
 * first of a chain that long may fail. A sweep settles the rest.
 */
import { Type, type Static } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { EndListeners } from '../attempts/ends/announce-ends.ts'
import { endWaiting } from '../attempts/ends/end-waiting.ts'
import type { JobState } from '../schemas.ts'

export type EndedParent = {
  readonly tenant_id: string
  readonly id: string
  readonly state: JobState
}

const Child = Type.Object({ tenant_id: Type.String(), job_id: Type.String() })
type Child = Static<typeof Child>
const Doomed = Type.Object({ ...Child.properties, cause_job_id: Type.String() })

/** A thousand rows of each table take a few tenths of a second. */
const children_max = 1000
/** The statements of one level take as long as this many children. */
const level_children = 5
const settled = new WeakMap<Tx, number>()

/** Returns whether any job became ready. */
export async function settleDependents(
  listeners: EndListeners,
  tx: Tx,
  ended: readonly EndedParent[],
): Promise<boolean> {
  const before = settled.get(tx) ?? 0
  const room = Math.max(0, children_max - before)
  const found = await holdChildren(tx, ended, room + 1)
  if (found.length > room) await leaveRest(tx, ended)
  const children = found.slice(0, room)
  if (children.length === 0) return false
  settled.set(tx, before + level_children + children.length)
  await satisfy(tx, ended, children)
  const doomed = await findDoomed(tx, ended, children)
  const lost = new Set(doomed.map(one => one.job_id))
  const released = await release(
    tx,
    children.filter(one => !lost.has(one.job_id)),
  )
  if (doomed.length > 0) {
    await endWaiting(listeners, tx, doomed, { state: 'failed', error_code: 'dependency_failed' })
  }
  return released > 0
}

/** In the order of their ids, because all transactions lock jobs in that order. */
async function holdChildren(
  tx: Tx,
  ended: readonly EndedParent[],
  limit: number,
): Promise<Child[]> {
  return await tx.many(
    Child,
    sql`
    select q.tenant_id, q.job_id from jobs.job_queue q
    where (q.tenant_id, q.job_id) in (
      select d.tenant_id, d.job_id
      from unnest(
        ${ended.map(one => one.tenant_id)}::uuid[], ${ended.map(one => one.id)}::uuid[]
      ) e (tenant_id, id)
      join jobs.job_dependencies d on d.depends_on_job_id = e.id and d.tenant_id = e.tenant_id
      where d.satisfied_at is null)
    order by q.job_id
    limit ${limit}
    for update of q`,
  )
}

/**
 * The update waits for a sweep that settles the same job now, so that this sweep does not remove the
 * row without the jobs of this transaction.
 */
async function leaveRest(tx: Tx, ended: readonly EndedParent[]): Promise<void> {
  await tx.run(sql`
    insert into jobs.unsettled_jobs (tenant_id, job_id)
    select e.tenant_id, e.id
    from unnest(
      ${ended.map(one => one.tenant_id)}::uuid[], ${ended.map(one => one.id)}::uuid[]
    ) e (tenant_id, id)
    order by e.tenant_id, e.id
    on conflict (tenant_id, job_id) do update set job_id = excluded.job_id`)
}

async function satisfy(
  tx: Tx,
  ended: readonly EndedParent[],
  children: readonly Child[],
): Promise<void> {
  await tx.run(sql`
    update jobs.job_dependencies d set satisfied_at = kernel.now()
    from unnest(
      ${ended.map(one => one.tenant_id)}::uuid[], ${ended.map(one => one.id)}::uuid[],
      ${ended.map(one => one.state)}::text[]
    ) e (tenant_id, id, state)
    where d.depends_on_job_id = e.id and d.tenant_id = e.tenant_id and d.satisfied_at is null
      and d.job_id = any (${children.map(one => one.job_id)}::uuid[])
      and (d.required_state = 'terminal' or e.state = 'succeeded')`)
}

async function findDoomed(tx: Tx, ended: readonly EndedParent[], children: readonly Child[]) {
  return await tx.many(
    Doomed,
    sql`
    select distinct on (d.job_id) d.tenant_id, d.job_id,
      coalesce(p.cause_job_id, p.id) as cause_job_id
    from unnest(
      ${ended.map(one => one.tenant_id)}::uuid[], ${ended.map(one => one.id)}::uuid[]
    ) e (tenant_id, id)
    join jobs.job_dependencies d on d.depends_on_job_id = e.id and d.tenant_id = e.tenant_id
      and d.satisfied_at is null
      and d.job_id = any (${children.map(one => one.job_id)}::uuid[])
    join jobs.jobs p on p.tenant_id = e.tenant_id and p.id = e.id
    where d.required_state = 'succeeded' and p.state in ('failed', 'cancelled', 'expired')
    order by d.job_id, d.depends_on_job_id`,
  )
}

const Released = Type.Object({ ready: Type.Integer() })

/** Releases the jobs without unsatisfied edges. Returns how many of them may run now. */
export async function release(tx: Tx, children: readonly Child[]): Promise<number> {
  if (children.length === 0) return 0
  const { ready } = await tx.one(
    Released,
    sql`
    with freed as (
      update jobs.job_queue q
      set ready_at = now(),
        wake_at = case when j.scheduled_at > kernel.now() then j.scheduled_at end
      from unnest(
        ${children.map(one => one.tenant_id)}::uuid[], ${children.map(one => one.job_id)}::uuid[]
      ) child (tenant_id, job_id)
      join jobs.jobs j on j.tenant_id = child.tenant_id and j.id = child.job_id
      where q.tenant_id = child.tenant_id and q.job_id = child.job_id and q.wake_at = 'infinity'
        and not exists (select from jobs.job_dependencies d
          where d.job_id = child.job_id and d.tenant_id = child.tenant_id
            and d.satisfied_at is null)
      returning q.tenant_id, q.job_id, q.wake_at
    ),
    counted as (
      update jobs.jobs j set last_sequence = last_sequence + 1
      from freed
      where freed.wake_at is null and j.tenant_id = freed.tenant_id and j.id = freed.job_id
      returning j.id, j.tenant_id, j.last_sequence
    ),
    remembered as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type)
      select id, last_sequence, tenant_id, 'ready' from counted
    )
    select count(*)::int as ready from counted`,
  )
  return ready
}
