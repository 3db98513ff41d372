/**
 * The statement that moves committed outbox rows into the event log, and the query that a new
 * leader runs first. Rows leave the outbox and enter the log in one statement, so an event is in
 * exactly one of the two. Version 1 of an aggregate is committed before version 2 can be inserted.
 * So a snapshot with version 2 also contains version 1, and positions have the order of the
 * numbers.
 */
import type { DirectClient } from '../../database/direct.ts'
import { Gaps } from './gaps.ts'

export const batch_max = 500
const partition_ahead = 2_500_000

// Rows are found by number and deleted by ctid. Both stay cheap even with wrong statistics: this
// table is empty at one moment and full at the next. The counter is found by ctid too. While an old
// snapshot is open, the counter's dead versions cannot be removed, and a look-up by key would read
// all of them.
export const sequence_text = `
with counter as materialized (
  select c.ctid as place
  from kernel.event_counter c
  where c.ctid = $1::tid and c.position = $2
),
picked as materialized (
  (select o.place
   from unnest($3::bigint[], $4::bigint[]) as g (low, high)
   cross join lateral (
     select ctid as place, seq from kernel.outbox_events
     where seq between g.low and g.high
     order by seq limit ${batch_max}
   ) o
   where exists (select from counter)
   limit ${batch_max})
  union all
  (select ctid
   from kernel.outbox_events
   where seq > $5 and exists (select from counter)
   order by seq limit ${batch_max})
  limit ${batch_max}
),
taken as (
  delete from kernel.outbox_events
  where ctid = any (array(select place from picked))
  returning *
),
counted as materialized (select count(*) as n from taken),
moved as (
  update kernel.event_counter
  set position = $2 + counted.n
  from counted
  where event_counter.ctid = $1::tid and counted.n > 0
  returning event_counter.ctid as place, position
),
logged as (
  insert into kernel.events (position, id, tenant_id, type, schema_version, aggregate_type,
    aggregate_id, aggregate_version, payload, payload_ref, traceparent, written_by, transaction_id,
    occurred_at, created_at, lane)
  select $2 + row_number() over (order by seq), id, tenant_id, type, schema_version, aggregate_type,
    aggregate_id, aggregate_version, payload, payload_ref, traceparent, written_by, transaction_id,
    occurred_at, created_at, kernel.lane_of(aggregate_id)
  from taken
  returning 1
)
select (select count(*) from counter) as counters,
  (select array_agg(seq order by seq) from taken) as taken,
  (select place::text from moved) as place,
  (select position from moved) as position,
  (select count(*) from logged) as logged,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
  case when (select n from counted) > 0 then pg_current_xact_id()::text::bigint end as xid`

/** The state of a leader. There is only one leader, so its memory matches the tables. */
export type Leading = {
  place: string
  position: number
  /** Positions below this number have a partition. */
  prepared: number
  gaps: Gaps
}

/**
 * Reads the number first and the running transactions after it, so that no transaction is missed.
 */
export async function lead(client: DirectClient): Promise<Leading> {
  const prepared = await prepare(client)
  const counter = await row<{ place: string; position: number }>(
    client,
    'select ctid::text as place, position from kernel.event_counter',
  )
  const { last } = await row<{ last: number }>(
    client,
    `select case when is_called then last_value else 0 end as last from kernel.outbox_events_seq_seq`,
  )
  // Do not use xmax of a snapshot: it is only one past the newest transaction that has *ended*.
  const { xid } = await row<{ xid: number }>(
    client,
    'select pg_current_xact_id()::text::bigint as xid',
  )
  return { ...counter, prepared, gaps: new Gaps(last, xid) }
}

async function row<R extends object>(
  client: DirectClient,
  statement: string | { name?: string; text: string; values: unknown[] },
): Promise<R> {
  const { rows } = await client.query<R>(statement as string)
  if (!rows[0]) throw new Error('a statement of the sequencer returned nothing')
  return rows[0]
}

type Batch = {
  counters: number
  taken: number[] | null
  place: string | null
  position: number | null
  logged: number
  xmin: number
  xid: number | null
}

/** Takes one batch and returns how many events got a position. */
export async function sequence(client: DirectClient, leading: Leading): Promise<number> {
  const { gaps } = leading
  const found = await row<Batch>(client, {
    name: 'sequence',
    text: sequence_text,
    values: [
      leading.place,
      leading.position,
      gaps.ranges.map(gap => gap.low),
      gaps.ranges.map(gap => gap.high),
      gaps.last,
    ],
  })
  const taken = found.taken ?? []
  // The counter was changed by something else (a restore, an operator), so this leader's memory is
  // wrong.
  if (found.counters !== 1) throw new Error('another session moved the event counter')
  if (found.logged !== taken.length)
    throw new Error('events left the outbox but did not enter the log')
  gaps.learn({ taken, full: taken.length === batch_max, xmin: found.xmin, xid: found.xid ?? 0 })
  if (taken.length === 0) return 0
  if (found.place === null || found.position === null) {
    throw new Error('another session moved the event counter')
  }
  leading.place = found.place
  leading.position = found.position
  if (leading.position + partition_ahead > leading.prepared) {
    leading.prepared = await prepare(client)
  }
  return taken.length
}

async function prepare(client: DirectClient): Promise<number> {
  const { prepared } = await row<{ prepared: number }>(client, {
    text: 'select kernel.prepare_event_partitions($1::bigint) as prepared',
    values: [partition_ahead],
  })
  return prepared
}
