/** Subscriptions with their health: the state of the endpoint, and the waiting deliveries. */
import { type Static, Type } from 'typebox'
import { nullable, sql, type Reader, type Sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { slow_ms } from '../lanes/lane.ts'
import { Health, SubscriptionRow, type HealthySubscription } from '../schemas.ts'
import { subscriptionColumns, viewOf } from './find.ts'

const counted_max = 10_000

const Row = Type.Object({
  ...SubscriptionRow.properties,
  ...Type.Omit(Health, ['bulkhead']).properties,
  ewma_ms: nullable(Type.Integer()),
})

type Seen = HealthySubscription & { readonly version: number }

/** The subscription on the wire, with its version as the entity tag. */
export function withoutVersion(seen: Seen): HealthySubscription {
  const { version: _version, ...shown } = seen
  return shown
}

/** Lists the newest first, after the last id of the previous page. */
export async function listSubscriptions(
  reader: Reader,
  { tenant_id, after, fetch }: { tenant_id: string; after: string | null; fetch: number },
): Promise<Seen[]> {
  const rows = await read(
    reader,
    sql`s.tenant_id = ${tenant_id} and s.state <> 'deleted'
      and (${after}::uuid is null or s.id < ${after}::uuid) order by s.id desc limit ${fetch}`,
  )
  return rows.map(seen)
}

export async function getSubscription(
  reader: Reader,
  { id, tenant_id }: { id: string; tenant_id: string },
): Promise<Seen> {
  const [row] = await read(
    reader,
    sql`s.tenant_id = ${tenant_id} and s.id = ${id} and s.state <> 'deleted'`,
  )
  if (!row) throw problem('subscription_not_found')
  return seen(row)
}

function read(reader: Reader, which: Sql): Promise<Static<typeof Row>[]> {
  return reader.many(
    Row,
    sql`
      with found as materialized (
        select ${subscriptionColumns} from webhooks.subscriptions s where ${which}
      )
      select s.*, l.breaker, l.open_until, l.not_before, w.in_flight, w.pending,
        w.oldest_pending_at, l.consecutive_failures, l.ewma_ms, l.last_success_at, l.p50_ms,
        l.p95_ms
      from found s
      join webhooks.delivery_lanes l on l.tenant_id = s.tenant_id and l.subscription_id = s.id
      cross join lateral (
        select count(*)::int as pending, min(occurred_at) as oldest_pending_at,
          count(*) filter (where leased_until > now())::int as in_flight
        from (
          select d.occurred_at, d.leased_until from webhooks.deliveries d
          where d.subscription_id = s.id and d.state = 'pending'
          limit ${counted_max}
        ) d
      ) w
      order by s.id desc`,
  )
}

function seen(row: Static<typeof Row>): Seen {
  const {
    breaker,
    open_until,
    not_before,
    in_flight,
    pending,
    oldest_pending_at,
    consecutive_failures,
    ewma_ms,
    last_success_at,
    p50_ms,
    p95_ms,
    ...subscription
  } = row
  const slow = breaker === 'half_open' || (ewma_ms ?? 0) > slow_ms
  return {
    ...viewOf(subscription),
    version: row.version,
    health: {
      breaker,
      open_until,
      not_before,
      in_flight,
      pending,
      oldest_pending_at,
      consecutive_failures,
      last_success_at,
      p50_ms,
      p95_ms,
      bulkhead: slow ? 'slow' : 'fast',
    },
  }
}
