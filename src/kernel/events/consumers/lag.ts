/**
 * Counts how far consumers are behind the log, exactly up to a bound. Only events of a consumer's
 * own types count.
 */
import { Type } from 'typebox'
import type { Reader } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { Interest } from './leases.ts'
import { head_position } from '../log/read.ts'

/**
 * Counting stops at this number in each lane, so that a long backlog does not make the statement
 * slow.
 */
const counted_max = 1000

export const ConsumerView = Type.Object({
  consumer: Type.String(),
  position: Type.Integer(),
  lag_events: Type.Integer(),
  lag_seconds: Type.Number(),
  parked: Type.Integer(),
})
export type ConsumerView = {
  consumer: string
  position: number
  lag_events: number
  lag_seconds: number
  parked: number
}

/**
 * Returns the consumers after `after`, ordered by name. All events up to `position` are handled or
 * parked.
 */
export function readConsumers(
  reader: Reader,
  of: readonly Interest[],
  page: { after: string; limit: number },
): Promise<ConsumerView[]> {
  return reader.many(
    ConsumerView,
    sql`
      with interest as materialized (
        select consumer, string_to_array(types, ',') as types
        from unnest(${of.map(one => one.consumer)}::text[],
          ${of.map(one => one.types?.join(',') ?? null)}::text[]) as i (consumer, types)
        where consumer collate "C" > ${page.after}
        order by consumer collate "C"
        limit ${page.limit}
      ),
      behind as (
        select c.consumer, count(e.position) as events, min(e.position) as first,
          min(e.created_at) as since
        from kernel.event_consumers c
        join interest i on i.consumer = c.consumer
        left join lateral (
          select position, created_at
          from kernel.events
          where lane = c.lane and position > c.position
            and (i.types is null or type = any (i.types))
          order by position
          limit ${counted_max}
        ) e on true
        group by c.consumer
      )
      select b.consumer, coalesce(b.first - 1, ${head_position}) as position, b.events as lag_events,
        coalesce(greatest(extract(epoch from now() - b.since), 0), 0)::float8 as lag_seconds,
        (select count(*) from kernel.event_parks p
         where p.consumer = b.consumer and p.state in ('waiting', 'dead')) as parked
      from behind b
      order by b.consumer collate "C"`,
  )
}

const Pending = Type.Object({ events: Type.Integer(), seconds: Type.Number() })
const ParkCount = Type.Object({
  consumer: Type.String(),
  state: Type.String(),
  parks: Type.Integer(),
})

export async function measureLag(
  reader: Reader,
  of: readonly Interest[],
  metrics: Metrics,
): Promise<void> {
  const pending = await reader.one(
    Pending,
    sql`
      select count(*) as events,
        coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0)::float8 as seconds
      from kernel.outbox_events`,
  )
  metrics.outboxPending.set(pending.events)
  metrics.outboxOldest.set(pending.seconds)
  for (const one of await readConsumers(reader, of, { after: '', limit: 10_000 })) {
    metrics.consumerLag.set({ consumer: one.consumer }, one.lag_seconds)
  }
  const parks = await reader.many(
    ParkCount,
    sql`
      select consumer, state, count(*) as parks
      from kernel.event_parks
      where state in ('waiting', 'dead')
      group by consumer, state`,
  )
  metrics.eventParks.reset()
  for (const { consumer, state, parks: count } of parks) {
    metrics.eventParks.set({ consumer, state }, count)
  }
}
