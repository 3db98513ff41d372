/**
 * Counts how many jobs of each type wait, run and have failed recently, over all tenants. Operators
 * see the counts.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import type { JobTypeView, TypeStats } from './schemas.ts'

const Row = Type.Object({
  type: Type.String(),
  waiting: Type.Integer(),
  running: Type.Integer(),
  oldest_waiting_seconds: nullable(Type.Integer()),
  failed_24h: Type.Integer(),
  capable_workers: Type.Integer(),
})

/** A worker that has not reported for this long counts as gone. */
export const worker_alive_seconds = 60

export async function statsOf(
  reader: Reader,
  types: readonly JobTypeView[],
): Promise<Static<typeof TypeStats>[]> {
  const rows = await reader.many(
    Row,
    sql`
    -- any tenant: operators see the sums of all
    select t.type, coalesce(q.waiting, 0)::int as waiting, q.oldest as oldest_waiting_seconds,
      (select count(*)::int from jobs.job_attempts a
        where a.state = 'running' and a.type = t.type) as running,
      (select count(*)::int from jobs.jobs j where j.type = t.type and j.dead_at is not null
        and j.dead_at > kernel.now() - interval '24 hours' and j.state = 'failed') as failed_24h,
      (select count(distinct w.worker_id)::int from jobs.worker_capabilities w
        where w.capability = t.type
          and w.last_seen_at > now() - make_interval(secs => ${worker_alive_seconds}::int))
        as capable_workers
    from unnest(${types.map(one => one.type)}::text[]) t (type)
    left join lateral (
      select count(*) as waiting, extract(epoch from now() - min(w.ready_at)
        filter (where w.wake_at is null))::int as oldest
      from jobs.job_queue w where w.type = t.type
    ) q on true`,
  )
  const counted = new Map(rows.map(row => [row.type, row]))
  return types.map(({ type, kind, paused }) => {
    const row = kind === 'activity' ? undefined : counted.get(type)
    return {
      type,
      waiting: row?.waiting ?? null,
      running: row?.running ?? null,
      oldest_waiting_seconds: row?.oldest_waiting_seconds ?? null,
      failed_24h: row?.failed_24h ?? null,
      paused,
      capable_workers: row?.capable_workers ?? null,
    }
  })
}
