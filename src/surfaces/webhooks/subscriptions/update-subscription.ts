/**
 * Changes a subscription. A new endpoint requires a new challenge before anything is sent, and so
 * does enabling a disabled one. A pause keeps all events that arrive meanwhile. An account that
 * changes the filter or the endpoint becomes the owner, and the endpoint gets only events that the
 * new owner may read. The same holds for an account that resumes a subscription after the owner
 * lost the permission for its types.
 */
import { Type } from 'typebox'
import { narrowSession, sql, type Principal, type Tx, readablePatterns } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { SubscriptionEvent } from '../events.ts'
import { SubscriptionRow, type UpdateSubscription } from '../schemas.ts'
import { challenge_queue } from '../verification/challenge-queue.ts'
import { demandApiVersion, demandFilter, demandReadable } from './filter.ts'
import { announce, holdSubscription, subscriptionColumns } from './find.ts'

/** The shortest time between two times that a disabled subscription is enabled. */
const cooldown_seconds = 60

type Change = Exclude<SubscriptionEvent, 'webhook_subscription.tested'>
type Step = { readonly state: string; readonly announces: Change | null }

export async function updateSubscription(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'types' | 'judgeEndpoint'>,
  id: string,
  asked: UpdateSubscription,
  by: {
    principal: Principal
    grants: ReadonlySet<string>
    if_match: string | string[] | undefined
  },
): Promise<SubscriptionRow> {
  const { tenant_id } = by.principal
  const before = await holdSubscription(tx, { id, tenant_id }, by.if_match)
  const { event_filter: filter } = asked
  if (asked.api_version !== undefined) demandApiVersion(asked.api_version)
  if (filter) await demandFilter(tx, deps, filter, by.grants)
  const endpoint = endpointOf(deps, before, asked)
  const moved = endpoint !== before.endpoint
  const step = stepOf(before, asked.state, moved)
  if (before.state === 'disabled' && step.state === 'created') await demandCooledDown(tx, before)
  const resumed = before.paused_reason !== null && step.state === 'active'
  const owned = moved || filter !== undefined || step.state === 'created' || resumed
  if (owned && !filter) demandReadable(before.event_filter, by.grants)
  const row = await tx.one(
    SubscriptionRow,
    sql`
      update webhooks.subscriptions s
      set version = version + 1, updated_at = kernel.now(), endpoint = ${endpoint},
        event_filter = ${filter?.types ?? before.event_filter},
        aggregate_ids = ${filter ? (filter.aggregate_ids ?? null) : before.aggregate_ids},
        api_version = ${asked.api_version ?? before.api_version},
        description = ${asked.description === undefined ? before.description : asked.description},
        ordering = ${asked.ordering ?? before.ordering},
        max_in_flight = ${asked.max_in_flight ?? before.max_in_flight},
        rate_per_second =
          ${asked.rate_per_second === undefined ? before.rate_per_second : asked.rate_per_second},
        owner_id = case when ${owned} then ${by.principal.id} else owner_id end,
        session_id = case when ${owned} then ${narrowSession(by.principal)} else session_id end,
        readable = case when ${owned} then ${readablePatterns(by.grants)}::text[] else readable end,
        ${transition(before.state, step.state, { moved, owned })}
      where s.tenant_id = ${tenant_id} and s.id = ${id}
      returning ${subscriptionColumns}`,
  )
  if (step.state === 'created') tx.wake(challenge_queue)
  if (step.announces) announce(tx, step.announces, row)
  return row
}

/**
 * An unchanged endpoint is not checked again: stricter settings must not block other changes.
 */
function endpointOf(
  { judgeEndpoint }: Pick<Deps, 'judgeEndpoint'>,
  { endpoint: before }: SubscriptionRow,
  { endpoint = before }: UpdateSubscription,
): string {
  return endpoint === before ? before : judgeEndpoint(endpoint)
}

function stepOf({ state }: SubscriptionRow, wanted: string | undefined, moved: boolean): Step {
  const change = `${state} ${wanted ?? state}`
  if (change === 'disabled active') return { state: 'created', announces: null }
  if (wanted !== undefined && wanted !== state && !/^(active|paused) /.test(change)) {
    throw problem('invalid_transition', { current_state: state })
  }
  if (moved && wanted === 'paused') {
    const detail =
      'A new endpoint has to answer a challenge first. Pause the subscription when it is active.'
    throw problem('invalid_transition', { current_state: state, detail })
  }
  if (moved && state !== 'disabled') return { state: 'created', announces: null }
  if (change === 'active paused') {
    return { state: 'paused', announces: 'webhook_subscription.paused' }
  }
  if (change === 'paused active') {
    return { state: 'active', announces: 'webhook_subscription.resumed' }
  }
  return { state, announces: null }
}

/**
 * The other columns that change with the state. Time on hold is added up, so that waiting
 * deliveries do not become too old.
 */
function transition(
  from: string,
  to: string,
  { moved, owned }: { readonly moved: boolean; readonly owned: boolean },
) {
  const asks_anew = to === 'created' && (from !== 'created' || moved)
  return sql`
    state = ${to},
    held_seconds = held_seconds + case when ${from} in ('paused', 'disabled') and ${from} <> ${to}
      then extract(epoch from kernel.now() - coalesce(paused_at, disabled_at))::bigint else 0 end,
    paused_at = case when ${to} = 'paused' then coalesce(paused_at, kernel.now()) end,
    paused_reason = case when ${to} = 'paused' and not ${owned} then paused_reason end,
    disabled_at = case when ${to} = 'disabled' then disabled_at end,
    disabled_reason = case when ${to} = 'disabled' then disabled_reason end,
    cooldown_until = case when ${from} = 'disabled' and ${to} = 'created'
      then kernel.now() + make_interval(secs => ${cooldown_seconds}) else cooldown_until end,
    unverified_since = case when ${to} = 'created'
      then coalesce(unverified_since, kernel.now()) end,
    challenge_hash = case when ${asks_anew} then null else challenge_hash end,
    challenge_expires_at = case when ${asks_anew} then null else challenge_expires_at end,
    challenges_sent = case when ${asks_anew} then 0 else challenges_sent end,
    challenge_attempts = case when ${asks_anew} then 0 else challenge_attempts end,
    challenge_lease_token = case when not ${asks_anew} then challenge_lease_token end,
    challenge_leased_until = case when not ${asks_anew} then challenge_leased_until end,
    challenge_due_at = case when ${asks_anew} and verification_mode = 'auto' then kernel.now()
      when ${to} = 'created' then challenge_due_at end`
}

const Cooldown = Type.Object({ wait: Type.Integer() })

async function demandCooledDown(tx: Tx, { id, tenant_id }: SubscriptionRow): Promise<void> {
  const cooling = await tx.maybe(
    Cooldown,
    sql`
      select ceil(extract(epoch from cooldown_until - kernel.now()))::int as wait
      from webhooks.subscriptions
      where tenant_id = ${tenant_id} and id = ${id} and cooldown_until > kernel.now()`,
  )
  if (!cooling) return
  const retry_after = Math.max(1, cooling.wait)
  throw problem('cooldown', { retry_after, headers: { 'retry-after': String(retry_after) } })
}
