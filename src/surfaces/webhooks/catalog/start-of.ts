/**
 * Finds the position in a tenant's part of the log that belongs to a time. The log is ordered by
 * position. Event times have almost the same order: they differ from it by at most the length of a
 * transaction. So a binary search over the index of positions finds the place, and only the events
 * of a few minutes are read one by one.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'

/**
 * This is far longer than any transaction lasts, because PostgreSQL ends a transaction that is idle
 * for seconds.
 */
export const disorder_seconds = 600
/** Below this size, reading one by one is faster than a binary search. */
const near = 256

const First = Type.Object({ position: Type.Integer() })

/**
 * Returns the position just before the first event since then, or null if there is no such event
 * yet.
 */
export async function startOf(
  reader: Pick<Reader, 'maybe'>,
  tenant_id: string,
  since: string | null,
): Promise<number | null> {
  if (since === null) return 0
  const first = await reader.maybe(
    First,
    sql`
      with recursive ends as (
        select (select e.position from kernel.events e
            where e.tenant_id = ${tenant_id} order by e.position limit 1) - 1 as low,
          (select e.position from kernel.events e
            where e.tenant_id = ${tenant_id} order by e.position desc limit 1) as high
      ),
      -- Every event up to "low" is older than the time, even if the event times are out of order.
      search as (
        select low, high from ends
        union all
        select case when m.older then m.position else s.low end,
          case when m.older then s.high else (s.low + s.high) / 2 end
        from search s
        cross join lateral (
          select max(n.position) as position, coalesce(bool_and(n.older), false) as older
          from (
            select e.position, e.created_at <
                ${since}::timestamptz - make_interval(secs => ${disorder_seconds}) as older
            from kernel.events e
            where e.tenant_id = ${tenant_id} and e.position > (s.low + s.high) / 2
            order by e.position limit 1
          ) n
        ) m
        where s.high - s.low > ${near}
      )
      select e.position from kernel.events e
      where e.tenant_id = ${tenant_id} and e.created_at >= ${since}::timestamptz
        and e.position > (select max(low) from search)
      order by e.position limit 1`,
  )
  return first ? first.position - 1 : null
}
