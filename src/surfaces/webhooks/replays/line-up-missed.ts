/**
 * Creates deliveries of events that the subscription missed because it was disabled, not verified
 * yet, or not created yet. The events are taken in the order of the log, one portion in each
 * transaction. Existing deliveries are not changed, so repeating a portion changes nothing.
 */
import { type Static, Type } from 'typebox'
import { LoggedEvent, nullable, sql, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { disorder_seconds } from '../catalog/start-of.ts'
import { tested } from '../events.ts'
import { bodyOf } from '../fan-out/body.ts'
import type { Due, Portion, Selection, Step } from './line-up.ts'

/** The types that the subscription requests now. */
export type Listening = Omit<Selection, 'states' | 'types'> & {
  readonly types: readonly string[]
  readonly aggregate_ids: readonly string[] | null
  readonly api_version: string
}

/** One statement scans at most this many events, even if few of them match. */
const window = 2000

const Row = Type.Object({
  found: Type.Integer(),
  seen: Type.Integer(),
  absent: Type.Array(Type.Integer()),
  last_found: nullable(Type.Integer()),
  last_seen: nullable(Type.Integer()),
  over: Type.Boolean(),
})

export async function countMissed(
  reader: Pick<Reader, 'one'>,
  listening: Listening,
  after: string,
): Promise<Portion> {
  const step = { after, many: window }
  return portionOf(await reader.one(Row, look(listening, step)), step)
}

export async function lineUpMissed(
  tx: Pick<Tx, 'one' | 'many' | 'run'>,
  listening: Listening,
  step: Step,
  due: Due,
): Promise<Portion> {
  const row = await tx.one(Row, look(listening, step))
  if (row.absent.length > 0) {
    const events = await tx.many(
      LoggedEvent,
      sql`
        select e.position, e.id, e.tenant_id, e.type, e.schema_version, e.aggregate_type,
          e.aggregate_id, e.aggregate_version, e.payload, e.payload_ref, e.traceparent,
          e.occurred_at, e.created_at
        from kernel.events e
        where e.tenant_id = ${listening.tenant_id} and e.position = any (${row.absent}::bigint[])
        order by e.position`,
    )
    await make(tx, listening, events, due)
  }
  return portionOf(row, step)
}

function look(listening: Listening, { after, many }: Step): Sql {
  const { tenant_id, subscription_id, replay_id, since, until, types, aggregate_ids } = listening
  return sql`
    with seen as materialized (
      select e.position, e.id, e.type, e.aggregate_id, e.created_at,
        e.payload ->> 'subscription_id' as about
      from kernel.events e
      where e.tenant_id = ${tenant_id} and e.position > ${after}::bigint
      order by e.position limit ${window}
    ),
    chosen as materialized (
      select s.position, d.event_id is not null as mine
      from seen s
      left join webhooks.deliveries d on d.tenant_id = ${tenant_id} and d.event_id = s.id
        and d.subscription_id = ${subscription_id}
      where s.type = any (${types}::text[]) and s.type <> ${tested}
        and (${aggregate_ids}::uuid[] is null or s.aggregate_id = any (${aggregate_ids}::uuid[]))
        and s.id >= kernel.first_id_of(${since}::timestamptz)
        and s.id < kernel.first_id_of(${until}::timestamptz)
        -- An event about a subscription is not sent to that same subscription.
        and (s.about is distinct from ${subscription_id} or s.type !~ '^webhook_')
        -- A delivery that this replay created was never sent before.
        and (d.event_id is null or d.replay_id = ${replay_id} and d.replay_no = 0)
      order by s.position limit ${many}
    )
    select (select count(*)::int from chosen) as found, (select count(*)::int from seen) as seen,
      coalesce((select array_agg(position) from chosen where not mine), '{}') as absent,
      (select max(position) from chosen) as last_found,
      (select max(position) from seen) as last_seen,
      coalesce((select min(created_at) from seen)
        > ${until}::timestamptz + make_interval(secs => ${disorder_seconds}), true) as over`
}

async function make(
  tx: Pick<Tx, 'run'>,
  { tenant_id, subscription_id, replay_id, api_version }: Listening,
  events: readonly LoggedEvent[],
  due: Due,
): Promise<void> {
  const bodies = events.map(one => bodyOf(one, api_version))
  await tx.run(sql`
    with given as materialized (
      select *, (select kernel.now()) + make_interval(secs => ${due.lead_seconds}
          + (ordinal - 1) / ${due.rate_per_second}::float8) as due_at
      from unnest(${events.map(one => one.id)}::uuid[], ${events.map(one => one.type)}::text[],
        ${events.map(one => one.aggregate_id)}::uuid[],
        ${events.map(one => one.aggregate_version)}::bigint[],
        ${events.map(one => one.occurred_at)}::timestamptz[],
        ${bodies.map(one => one.bytes)}::bytea[], ${bodies.map(one => one.sha256)}::bytea[],
        ${bodies.map(one => one.traceparent)}::text[])
        with ordinality as g (event_id, event_type, aggregate_id, aggregate_version, occurred_at,
          bytes, sha256, traceparent, ordinal)
    ),
    kept as (
      insert into webhooks.event_bodies (tenant_id, event_id, api_version, bytes, sha256,
        traceparent)
      select ${tenant_id}, event_id, ${api_version}, bytes, sha256, traceparent from given
      on conflict do nothing
    )
    insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
      aggregate_id, aggregate_version, api_version, ordered, behind, next_attempt_at, replay_id,
      replayed_at, held_seconds, occurred_at)
    select s.tenant_id, g.event_id, s.id, webhooks.delivery_id(g.event_id, s.id), g.event_type,
      g.aggregate_id, g.aggregate_version, ${api_version}, s.ordering = 'aggregate', true, g.due_at,
      ${replay_id}, g.due_at,
      s.held_seconds + coalesce(extract(epoch from (select kernel.now()) - s.paused_at), 0)::bigint,
      g.occurred_at
    from given g
    join webhooks.subscriptions s on s.tenant_id = ${tenant_id} and s.id = ${subscription_id}
      and s.state in ('active', 'paused')
    on conflict do nothing`)
}

function portionOf(row: Static<typeof Row>, { many }: Step): Portion {
  const { found, seen, last_found, last_seen, over } = row
  if (found === many) return { found, after: String(last_found) }
  return { found, after: seen === window && !over ? String(last_seen) : null }
}
