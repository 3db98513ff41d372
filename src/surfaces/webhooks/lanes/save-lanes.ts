/**
 * Saves the state of lanes that must survive the process. A process that no longer owns a lane
 * writes nothing. The statement that emits the event marks a lane as degraded. This file removes
 * the mark after a success.
 */
import { rfc3339, sql, type Tx } from '#dodeca/kernel'
import type { Lane } from './lane.ts'

export async function saveLanes(tx: Tx, owner: string, lanes: readonly Lane[]): Promise<void> {
  if (lanes.length === 0) return
  const time = (ms: number | null) => (ms === null || ms === 0 ? null : rfc3339(Math.round(ms)))
  // In a fixed order, so that two processes cannot deadlock.
  const rows = lanes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await tx.run(sql`
    -- any tenant: a sender owns endpoints of all of them
    update webhooks.delivery_lanes l
    set breaker = n.breaker, open_ms = n.open_ms, open_until = n.open_until,
      not_before = n.not_before, consecutive_failures = n.consecutive, ewma_ms = n.ewma_ms,
      p50_ms = n.p50_ms, p95_ms = n.p95_ms, last_success_at = n.last_success_at,
      failing_since = n.failing_since, failures = n.failures, updated_at = now(),
      degraded_at = case when n.failing_since is not null then l.degraded_at end
    from unnest(
      ${rows.map(one => one.id)}::uuid[],
      ${rows.map(one => one.breaker.state)}::text[],
      ${rows.map(one => Math.round(one.breaker.open_ms))}::int[],
      ${rows.map(one => time(one.breaker.open_until_ms))}::timestamptz[],
      ${rows.map(one => time(one.not_before_ms))}::timestamptz[],
      ${rows.map(one => one.breaker.consecutive)}::int[],
      ${rows.map(one => (one.ewma_ms === null ? null : Math.round(one.ewma_ms)))}::int[],
      ${rows.map(one => one.percentiles().p50_ms)}::int[],
      ${rows.map(one => one.percentiles().p95_ms)}::int[],
      ${rows.map(one => time(one.last_success_ms))}::timestamptz[],
      ${rows.map(one => time(one.failing_since_ms))}::timestamptz[],
      ${rows.map(one => one.failures)}::int[]
    ) as n (id, breaker, open_ms, open_until, not_before, consecutive, ewma_ms, p50_ms, p95_ms,
      last_success_at, failing_since, failures)
    where l.subscription_id = n.id
      and exists (select from webhooks.subscriptions s
        join webhooks.sender_shards h on h.shard = s.shard and h.owner = ${owner}
        where s.id = n.id)`)
}
