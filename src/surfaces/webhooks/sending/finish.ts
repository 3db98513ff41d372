/**
 * Records results. One statement writes the state and the attempt of each delivery, if the row
 * still has the token under which the delivery was sent. So a late sender changes nothing. The same
 * transaction writes the effects on the subscription and their events.
 */
import { type Static, Type } from 'typebox'
import { Id, newId, nullable, rfc3339, sql, type Tx } from '#dodeca/kernel'
import type { Lane } from '../lanes/lane.ts'
import { SubscriptionRow } from '../schemas.ts'
import { announce, subscriptionColumns } from '../subscriptions/find.ts'
import { claim, type Asked, type Claimed } from './claim.ts'
import type { Consequence, Next } from './decide-retry.ts'
import type { Outcome } from './outcome.ts'

export type Result = {
  readonly lane: Lane
  readonly claimed: Claimed
  readonly token: string
  readonly outcome: Outcome
  readonly next: Next
  readonly started_ms: number
  readonly duration_ms: number
  readonly secret_version: number | null
  readonly consequence: Consequence
}

const Done = Type.Object({
  id: Id,
  tenant_id: Id,
  event_id: Id,
  subscription_id: Id,
  aggregate_id: Id,
  event_type: Type.String(),
  ordered: Type.Boolean(),
  state: Type.String(),
  attempt_count: Type.Integer(),
  replay_no: Type.Integer(),
  last_http_status: nullable(Type.Integer()),
  last_error_code: nullable(Type.String()),
})
type Done = Static<typeof Done>

export async function finish(tx: Tx, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return
  const done = await record(tx, results)
  await releaseNext(tx, done)
  for (const one of done) if (one.state === 'exhausted') announceExhausted(tx, one)
  if (results.some(one => one.consequence)) await followAll(tx, results, done)
}

/** If a sender's lease has ended, its results do not affect the subscription either. */
async function followAll(tx: Tx, results: readonly Result[], done: readonly Done[]): Promise<void> {
  const recorded = new Set(done.map(keyOf))
  const lanes = new Map<string, Result>()
  for (const one of results) {
    if (!one.consequence) continue
    if (!recorded.has(keyOf(one.claimed))) {
      // The next failure reports it again.
      one.lane.degraded = false
      continue
    }
    const before = lanes.get(one.lane.id)?.consequence
    if (before === undefined || before === 'degraded') lanes.set(one.lane.id, one)
  }
  // In a fixed order, so that two senders cannot deadlock.
  for (const [, one] of [...lanes].sort(([a], [b]) => (a < b ? -1 : 1))) await follow(tx, one)
}

/**
 * The claim is sent in the same packet as the results. The exception is a result that changes which
 * deliveries may be claimed: it releases the next version of an aggregate, or disables a
 * subscription.
 */
export async function finishAndClaim(
  tx: Tx,
  results: readonly Result[],
  asked: Asked,
): Promise<Claimed[]> {
  const finished = finish(tx, results)
  if (results.some(one => one.consequence || one.claimed.ordered)) await finished
  const [, claimed] = await Promise.all([finished, claim(tx, asked)])
  return claimed
}

function record(tx: Tx, results: readonly Result[]): Promise<Done[]> {
  return tx.many(
    Done,
    sql`
      -- any tenant: a sender owns endpoints of all of them
      with given as materialized (
        select * from unnest(
          ${results.map(one => one.claimed.event_id)}::uuid[],
          ${results.map(one => one.claimed.subscription_id)}::uuid[],
          ${results.map(one => one.token)}::uuid[],
          ${results.map(one => one.next.state)}::text[],
          ${results.map(one => one.next.counted)}::boolean[],
          ${results.map(one => one.next.tries)}::smallint[],
          ${results.map(one => Math.round(one.next.delay_ms))}::int[],
          ${results.map(one => one.outcome.http_status)}::smallint[],
          ${results.map(one => one.outcome.error_code)}::text[],
          ${results.map(() => newId())}::uuid[],
          ${results.map(one => rfc3339(one.started_ms))}::timestamptz[],
          ${results.map(one => Math.round(one.duration_ms))}::int[],
          ${results.map(one => one.outcome.excerpt)}::text[],
          ${results.map(one => (one.outcome.timings ? sql.json(one.outcome.timings) : null))}::text[],
          ${results.map(one => one.outcome.remote_ip)}::text[],
          ${results.map(one => one.secret_version)}::int[],
          ${results.map(one => one.claimed.replay_id)}::uuid[]
        ) as g (event_id, subscription_id, token, state, counted, tries, delay_ms, http_status,
          error_code, attempt_id, started_at, duration_ms, excerpt, timings, remote_ip,
          secret_version, replay_id)
      ),
      done as (
        update webhooks.deliveries d
        set state = g.state, tries = g.tries, lease_token = null, leased_until = null,
          attempt_count = d.attempt_count + g.counted::int,
          next_attempt_at = case when g.state = 'pending'
            then (select kernel.now()) + make_interval(secs => g.delay_ms / 1000.0)
            else d.next_attempt_at end,
          last_http_status = case when g.counted then g.http_status else d.last_http_status end,
          last_error_code = case when g.counted then g.error_code else d.last_error_code end,
          completed_at = case when g.state <> 'pending' then (select kernel.now()) end
        from given g
        where d.event_id = g.event_id and d.subscription_id = g.subscription_id
          and d.lease_token = g.token
        returning d.id, d.tenant_id, d.event_id, d.subscription_id, d.event_type, d.aggregate_id,
          d.ordered, d.state, d.attempt_count, d.replay_no, d.last_http_status, d.last_error_code,
          g.counted, g.attempt_id, g.started_at, g.duration_ms, g.http_status, g.error_code, g.excerpt,
          g.timings, g.remote_ip, g.secret_version, g.replay_id
      ),
      kept as (
        insert into webhooks.delivery_attempts (tenant_id, delivery_id, attempt_no, id, started_at,
          duration_ms, http_status, error_code, response_excerpt, timings, remote_ip,
          secret_version, replay_id)
        select tenant_id, id, attempt_count, attempt_id, started_at, duration_ms, http_status,
          error_code, excerpt, timings::jsonb, remote_ip, secret_version, replay_id
        from done
        where counted
      )
      select id, tenant_id, event_id, subscription_id, event_type, aggregate_id, ordered, state,
        attempt_count, replay_no, last_http_status, last_error_code
      from done`,
  )
}

/** The next version of an ordered aggregate may be sent when the earlier version has ended. */
async function releaseNext(tx: Tx, done: readonly Done[]): Promise<void> {
  const ended = done.filter(one => one.ordered && one.state !== 'pending')
  if (ended.length === 0) return
  await tx.run(sql`
    -- any tenant: a sender owns endpoints of all of them
    update webhooks.deliveries d
    set next_attempt_at = (select kernel.now())
    from (select distinct e.subscription_id, e.aggregate_id
      from unnest(${ended.map(one => one.subscription_id)}::uuid[],
        ${ended.map(one => one.aggregate_id)}::uuid[]) as e (subscription_id, aggregate_id)) e
    where d.subscription_id = e.subscription_id and d.aggregate_id = e.aggregate_id
      and d.state = 'pending' and d.ordered and d.next_attempt_at = 'infinity'
      and d.aggregate_version = (
        select p.aggregate_version from webhooks.deliveries p
        where p.subscription_id = e.subscription_id and p.aggregate_id = e.aggregate_id
          and p.state = 'pending' and p.ordered
        order by p.aggregate_version limit 1)`)
}

const exhausted = 'webhook_delivery.exhausted'

/**
 * The failed delivery of an event about webhooks emits no event. Otherwise two failing endpoints
 * would cause each other's events without end.
 */
export function announceExhausted(
  tx: Pick<Tx, 'emit'>,
  one: Omit<Done, 'aggregate_id' | 'ordered' | 'state'>,
): void {
  if (one.event_type === exhausted) return
  tx.emit({
    type: exhausted,
    tenant_id: one.tenant_id,
    aggregate_type: 'webhook_delivery',
    aggregate_id: one.id,
    aggregate_version: one.replay_no + 1,
    data: {
      delivery_id: one.id,
      event_id: one.event_id,
      subscription_id: one.subscription_id,
      attempt_count: one.attempt_count,
      last_http_status: one.last_http_status,
      last_error_code: one.last_error_code,
    },
  })
}

function keyOf({ event_id, subscription_id }: Pick<Done, 'event_id' | 'subscription_id'>): string {
  return `${event_id} ${subscription_id}`
}

async function follow(tx: Tx, { lane, consequence, outcome }: Result): Promise<void> {
  if (consequence === 'owner_revoked') return pauseFor(tx, lane, consequence)
  const disables = consequence !== 'degraded'
  if (!disables && !(await marked(tx, lane))) return
  const row = await tx.maybe(
    SubscriptionRow,
    sql`
      update webhooks.subscriptions s
      set version = version + 1, updated_at = kernel.now(),
        state = case when ${disables} then 'disabled' else state end,
        disabled_at = case when ${disables} then kernel.now() end,
        disabled_reason = case when ${disables} then ${consequence} end,
        held_seconds = held_seconds + case when ${disables} and paused_at is not null
          then extract(epoch from kernel.now() - paused_at)::bigint else 0 end,
        paused_at = case when ${disables} then null else paused_at end,
        paused_reason = case when ${disables} then null else paused_reason end
      where s.tenant_id = ${lane.tenant_id} and s.id = ${lane.id}
        and s.state in ('active', 'paused')
      returning ${subscriptionColumns}`,
  )
  if (!row) return
  const failing_since = lane.failing_since_ms === null ? null : rfc3339(lane.failing_since_ms)
  const reason = consequence
  const type = disables ? 'webhook_subscription.disabled' : 'webhook_subscription.degraded'
  announce(tx, type, row, { reason, failing_since, last_error_code: outcome.error_code })
  if (disables) await acquit(tx, lane)
}

/**
 * Waiting deliveries are kept until an account with the permission resumes the subscription. A
 * subscription that has changed is checked again.
 */
async function pauseFor(tx: Tx, { id, tenant_id, config }: Lane, reason: string): Promise<void> {
  const row = await tx.maybe(
    SubscriptionRow,
    sql`
      update webhooks.subscriptions s
      set state = 'paused', paused_at = kernel.now(), paused_reason = ${reason},
        version = version + 1, updated_at = kernel.now()
      where s.tenant_id = ${tenant_id} and s.id = ${id} and s.state = 'active'
        and s.version = ${config.version}
      returning ${subscriptionColumns}`,
  )
  if (row) announce(tx, 'webhook_subscription.paused', row, { reason })
}

/**
 * A person enabled the endpoint again and has probably fixed it, so the first failure after that
 * does not disable it.
 */
async function acquit(tx: Tx, lane: Lane): Promise<void> {
  await tx.run(sql`
    update webhooks.delivery_lanes set failing_since = null, failures = 0, degraded_at = null
    where tenant_id = ${lane.tenant_id} and subscription_id = ${lane.id}`)
  tx.afterCommit(() => lane.acquit())
}

/**
 * The event is emitted once until a success. The mark is in the same transaction, so a new sender
 * after a crash knows it too.
 */
async function marked(tx: Tx, { id, tenant_id }: Lane): Promise<boolean> {
  const count = await tx.run(sql`
    update webhooks.delivery_lanes set degraded_at = kernel.now()
    where tenant_id = ${tenant_id} and subscription_id = ${id} and degraded_at is null`)
  return count > 0
}

/** Another sender began the delivery and did not finish it, so its result is unknown. */
export async function recordLost(tx: Tx, lost: readonly Claimed[]): Promise<void> {
  if (lost.length === 0) return
  await tx.run(sql`
    insert into webhooks.delivery_attempts (tenant_id, delivery_id, attempt_no, id, started_at,
      error_code, replay_id)
    select l.tenant_id, l.delivery_id, l.attempt_no, l.id, (select kernel.now()), 'lease_lost', l.replay_id
    from unnest(${lost.map(one => one.tenant_id)}::uuid[], ${lost.map(one => one.id)}::uuid[],
      ${lost.map(one => one.attempt_no - 1)}::int[], ${lost.map(() => newId())}::uuid[],
      ${lost.map(one => one.replay_id)}::uuid[])
      as l (tenant_id, delivery_id, attempt_no, id, replay_id)`)
}
