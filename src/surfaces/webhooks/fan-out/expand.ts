/**
 * Creates the deliveries of events, and stores the body that the deliveries of an event share. It
 * takes the next portion of each event's subscriptions, in the order of their ids. One statement
 * handles several events. If one event fills its portion, the later events of its tenant wait.
 * Running the same portion again changes nothing.
 */
import { Type } from 'typebox'
import { Id, nounOf, sql, type LoggedEvent, type Sql, type Tx } from '#dodeca/kernel'
import { api_versions } from '../schemas.ts'
import { bodyOf, type Body } from './body.ts'

export type Expanded = {
  readonly event: LoggedEvent
  /**
   * An earlier event of the tenant is still being fanned out, so this event must wait behind it.
   */
  readonly queued: boolean
  readonly subscription_ids: readonly string[]
  readonly bodies: readonly Body[]
}

export type Portion = {
  readonly after: string | null
  readonly limit: number
  /** Whether the event must wait for earlier ones of its tenant. */
  readonly queues: boolean
}

const Row = Type.Object({ queued: Type.Boolean(), ids: Type.Array(Id) })

export async function expand(
  tx: Tx,
  events: readonly LoggedEvent[],
  { after, limit, queues }: Portion,
): Promise<Expanded[]> {
  const bodies = events.map(event => api_versions.map(version => bodyOf(event, version)))
  const rows = await tx.many(
    Row,
    sql`
      -- any tenant: each event names its own, and reaches only subscriptions of that one
      with given as materialized (
        select g.*, array['*', g.type_group || '.*', g.type] as patterns,
          ${queues} and exists (
            select from webhooks.fanouts f where f.tenant_id = g.tenant_id) as behind
        from ${given(events)} with ordinality as g (event_id, tenant_id, type, type_group,
          aggregate_id, aggregate_version, subject, occurred_at, ordinal)
      ),
      found as materialized (
        select g.*, s.id, s.api_version, s.ordered, s.held_seconds
        from given g
        cross join lateral (${subscribers(after, limit)}) s
      ),
      wide as materialized (
        select tenant_id, min(ordinal) as ordinal
        from (select tenant_id, ordinal from found
          group by tenant_id, ordinal having count(*) = ${limit}::int) filled
        group by tenant_id
      ),
      chosen as materialized (
        select f.* from found f left join wide w on w.tenant_id = f.tenant_id
        where w.ordinal is null or f.ordinal <= w.ordinal
      ),
      made as (
        insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
          aggregate_id, aggregate_version, api_version, ordered, held_seconds, occurred_at,
          next_attempt_at, created_at)
        select tenant_id, event_id, id, webhooks.delivery_id(event_id, id), type, aggregate_id,
          aggregate_version, api_version, ordered, held_seconds, occurred_at,
          (select kernel.now()), (select kernel.now())
        from chosen
        on conflict do nothing
      ),
      kept as (
        insert into webhooks.event_bodies (tenant_id, event_id, api_version, bytes, sha256,
          traceparent)
        select g.tenant_id, b.event_id, b.api_version, b.bytes, b.sha256, b.traceparent
        from ${bytes(bodies, events)} as b (event_id, api_version, bytes, sha256, traceparent)
        join given g on g.event_id = b.event_id
        where exists (select from chosen c
          where c.event_id = b.event_id and c.api_version = b.api_version)
        on conflict do nothing
      )
      select g.behind or coalesce(w.ordinal < g.ordinal, false) as queued,
        coalesce(c.ids, '{}') as ids
      from given g
      left join wide w on w.tenant_id = g.tenant_id
      left join (select ordinal, array_agg(id order by id) as ids from chosen group by ordinal) c
        on c.ordinal = g.ordinal
      order by g.ordinal`,
  )
  return events.map((event, at) => {
    const { queued = false, ids = [] } = rows[at] ?? {}
    return { event, queued, subscription_ids: ids, bodies: bodies[at] ?? [] }
  })
}

function given(events: readonly LoggedEvent[]): Sql {
  return sql`unnest(
    ${events.map(one => one.id)}::uuid[], ${events.map(one => one.tenant_id)}::uuid[],
    ${events.map(one => one.type)}::text[], ${events.map(one => nounOf(one.type))}::text[],
    ${events.map(one => one.aggregate_id)}::uuid[],
    ${events.map(one => one.aggregate_version)}::bigint[],
    ${events.map(subjectOf)}::uuid[], ${events.map(one => one.occurred_at)}::timestamptz[])`
}

/** The next subscriptions of the event `g`, up to a limit. */
function subscribers(after: string | null, limit: number): Sql {
  return sql`
    select s.id, s.api_version, s.ordering = 'aggregate' as ordered, s.held_seconds
      + coalesce(extract(epoch from (select kernel.now()) - s.paused_at), 0)::bigint
      as held_seconds
    from webhooks.subscriptions s
    where s.tenant_id = g.tenant_id and s.state in ('active', 'paused')
      and s.event_filter && g.patterns and s.readable && g.patterns
      and (s.aggregate_ids is null or g.aggregate_id = any (s.aggregate_ids))
      and s.id is distinct from g.subject
      and (${after}::uuid is null or s.id > ${after}::uuid)
      and not g.behind
    order by s.id
    limit ${limit}`
}

function bytes(bodies: readonly (readonly Body[])[], events: readonly LoggedEvent[]): Sql {
  const all = bodies.flatMap((made, at) => made.map(body => ({ ...body, id: events[at]?.id })))
  return sql`unnest(
    ${all.map(one => one.id)}::uuid[], ${all.map(one => one.api_version)}::text[],
    ${all.map(one => one.bytes)}::bytea[], ${all.map(one => one.sha256)}::bytea[],
    ${all.map(one => one.traceparent)}::text[])`
}

/** An event about a subscription is not sent to that same subscription. */
function subjectOf({ type, payload }: LoggedEvent): string | null {
  if (!/^webhook_(subscription|delivery)\./.test(type)) return null
  return (payload as { subscription_id?: string } | null)?.subscription_id ?? null
}
