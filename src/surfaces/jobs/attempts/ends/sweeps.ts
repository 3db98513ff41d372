/**
 * Changes that depend only on time: leases expire, waiting jobs miss their deadline, delays end.
 * Any number of processes may sweep in parallel. Each takes rows that no other process holds, in
 * portions. If the end of a job fails because the hook of another surface failed, the job is left
 * for the next sweep and does not block others.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Db, type Log, type Tx } from '#dodeca/kernel'
import { isTerminal, JobState } from '../../schemas.ts'
import { endAttempts } from './end-attempts.ts'
import { endWaiting } from './end-waiting.ts'
import type { FinalizeDeps } from './finish-attempts.ts'
import { holdLapsed, type Lapsed } from './hold-attempts.ts'
import { beat } from './note-outages.ts'

export type SweepDeps = FinalizeDeps & { readonly log: Log }

type Sweep<Row extends { readonly job_id: string }> = {
  find(tx: Tx, limit: number, except: readonly string[]): Promise<Row[]>
  end(deps: SweepDeps, tx: Tx, rows: readonly Row[]): Promise<unknown>
}

const portion = 100
const failures_max = 100
const promoted_max = 1000
/** Expired leases do not wait for longer. The kernel calls the sweep again after a second. */
const settling_ms = 2000

/** There are few running attempts, and the two queries of the queue have their own indexes. */
export const sweepIsDue = sql`
  -- any tenant: a sweep
  select exists (select from jobs.job_attempts where state = 'running' and leased_until <= now())
    or exists (select from jobs.job_queue where deadline_at <= kernel.now())
    or exists (select from jobs.job_queue where wake_at < 'infinity' and wake_at <= kernel.now())
    or exists (select from jobs.unsettled_jobs)`

/** Returns whether any job became ready. */
export async function sweep(deps: SweepDeps, signal: AbortSignal): Promise<boolean> {
  await beat(deps.db)
  const lapsed = await sweepAll(deps, lapsedLeases, signal)
  await sweepAll(deps, unmetDeadlines, signal)
  const until_ms = performance.now() + settling_ms
  while (performance.now() < until_ms && !signal.aborted) {
    if ((await sweepAll(deps, unsettled, signal)) === 0) break
  }
  let promoted = 0
  for (let last = promoted_max; last === promoted_max && !signal.aborted; promoted += last) {
    last = await promote(deps.db)
  }
  return lapsed + promoted > 0
}

async function sweepAll<Row extends { readonly job_id: string }>(
  deps: SweepDeps,
  { find, end }: Sweep<Row>,
  signal: AbortSignal,
): Promise<number> {
  const failed: string[] = []
  let total = 0
  let limit = portion
  while (!signal.aborted && failed.length < failures_max) {
    const rows: Row[] = []
    const found = limit
    try {
      await deps.db.tx(async tx => {
        // If the transaction is retried, it finds its rows again.
        rows.splice(0, rows.length, ...(await find(tx, found, failed)))
        if (rows.length > 0) await end(deps, tx, rows)
      })
      total += rows.length
      if (rows.length < limit) break
    } catch (error) {
      const [alone] = rows
      if (!alone) throw error
      if (rows.length === 1) {
        failed.push(alone.job_id)
        deps.log.error({ job_id: alone.job_id, err: error }, 'a job could not be ended')
      }
      limit = 1
    }
  }
  return total
}

const lapsedLeases: Sweep<Lapsed> = {
  find: holdLapsed,
  end: async (deps, tx, lapsed) => {
    await deps.fault('jobs.before_sweep')
    const endings = lapsed.map(held => ({ held, ending: { outcome: held.why }, result: null }))
    await endAttempts(deps, tx, endings)
  },
}

const Unmet = Type.Object({ tenant_id: Type.String(), job_id: Type.String() })

export const unmetDeadlines: Sweep<Static<typeof Unmet>> = {
  find: (tx, limit, except) =>
    tx.many(
      Unmet,
      sql`
      -- any tenant: a sweep
      select q.tenant_id, q.job_id from jobs.job_queue q
      where q.deadline_at is not null and q.deadline_at <= kernel.now()
        and q.job_id <> all (${except}::uuid[])
      order by q.deadline_at
      limit ${limit}
      for update skip locked`,
    ),
  end: (deps, tx, unmet) =>
    endWaiting(deps.listeners, tx, unmet, {
      state: 'expired',
      error_code: 'capacity_deadline_missed',
    }),
}

const Unsettled = Type.Object({
  tenant_id: Type.String(),
  job_id: Type.String(),
  state: nullable(JobState),
})

/** If a job has more dependents than one transaction settles, its row is written again. */
const unsettled: Sweep<Static<typeof Unsettled>> = {
  find: (tx, limit, except) =>
    tx.many(
      Unsettled,
      sql`
      -- any tenant: a sweep
      select u.tenant_id, u.job_id, j.state from jobs.unsettled_jobs u
      left join jobs.jobs j on j.tenant_id = u.tenant_id and j.id = u.job_id
      where u.job_id <> all (${except}::uuid[])
      limit ${limit}
      for update of u skip locked`,
    ),
  end: async ({ listeners }, tx, rows) => {
    await tx.run(sql`
      -- any tenant: a sweep
      delete from jobs.unsettled_jobs where job_id = any (${rows.map(one => one.job_id)}::uuid[])`)
    // A job that was retried meanwhile settles them at its next end.
    const ended = rows.flatMap(({ tenant_id, job_id: id, state }) =>
      state !== null && isTerminal(state) ? [{ tenant_id, id, state }] : [],
    )
    if (ended.length > 0) await listeners.settleDependents(tx, ended)
  },
}

const Count = Type.Object({ promoted: Type.Integer() })

/**
 * These rows get keys behind the rows that are already ready. So a cursor that has passed their old
 * place finds them.
 */
export async function promote(db: Pick<Db, 'one'>): Promise<number> {
  const { promoted } = await db.one(
    Count,
    sql`
    -- any tenant: a sweep
    with due as materialized (
      select q.tenant_id, q.job_id from jobs.job_queue q
      where q.wake_at is not null and q.wake_at < 'infinity' and q.wake_at <= kernel.now()
      order by q.wake_at
      limit ${promoted_max}
      for update skip locked
    ),
    woken as (
      update jobs.job_queue q set wake_at = null, ready_at = now()
      from due
      where q.tenant_id = due.tenant_id and q.job_id = due.job_id
      returning q.tenant_id, q.job_id
    ),
    counted as (
      update jobs.jobs j set last_sequence = last_sequence + 1
      from woken
      where j.tenant_id = woken.tenant_id and j.id = woken.job_id
      returning j.id, j.tenant_id, j.last_sequence
    ),
    remembered as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type)
      select id, last_sequence, tenant_id, 'ready' from counted
    )
    select count(*)::int as promoted from woken`,
  )
  return promoted
}
