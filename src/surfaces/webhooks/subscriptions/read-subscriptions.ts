/** Subscriptions with their health: the state of the endpoint, and the waiting deliveries. */
import { type Static, Type } from 'typebox'
import { columnsOf, sql, type Reader, type Sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { slow_ms } from '../lanes/lane.ts'
import { Health, SubscriptionRow, type HealthySubscription } from '../schemas.ts'
import { viewOf } from './find.ts'

const counted_max = 10_000

export const HealthyRow = Type.Object({ ...SubscriptionRow.properties, health: Health })

const time = (value: Sql) => sql`to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Columns of `HealthyRow` for the row `t`. */
export const health_columns = {
  health: sql`(
    select json_build_object('breaker', l.breaker, 'open_until', ${time(sql`l.open_until`)},
      'not_before', ${time(sql`l.not_before`)}, 'in_flight', w.in_flight, 'pending', w.pending,
      'oldest_pending_at', ${time(sql`w.oldest_pending_at`)},
      'consecutive_failures', l.consecutive_failures,
      'last_success_at', ${time(sql`l.last_success_at`)}, 'p50_ms', l.p50_ms, 'p95_ms', l.p95_ms,
      'bulkhead', case when l.breaker = 'half_open' or l.ewma_ms > ${slow_ms}
        then 'slow' else 'fast' end)
    from webhooks.delivery_lanes l
    cross join lateral (
      select count(*)::int as pending, min(occurred_at) as oldest_pending_at,
        count(*) filter (where leased_until > now())::int as in_flight
      from (
        select d.occurred_at, d.leased_until from webhooks.deliveries d
        where d.subscription_id = t.id and d.state = 'pending'
        limit ${counted_max}
      ) d
    ) w
    where l.tenant_id = t.tenant_id and l.subscription_id = t.id)`,
}

export function healthyView({ health, ...row }: Static<typeof HealthyRow>): HealthySubscription {
  return { ...viewOf(row), health }
}

export async function getSubscription(
  reader: Reader,
  { id, tenant_id }: { id: string; tenant_id: string },
): Promise<Static<typeof HealthyRow>> {
  const found = await reader.maybe(
    HealthyRow,
    sql`
      select ${columnsOf(HealthyRow, 't', health_columns)} from webhooks.subscriptions t
      where t.tenant_id = ${tenant_id} and t.id = ${id} and t.state <> 'deleted'`,
  )
  if (!found) throw problem('subscription_not_found')
  return found
}
