/**
 * Sends one prepared message: picks the provider, marks it as leaving, hands it over, and says what follows.
 *
 * | outcome                              | attempt  | then                                              |
 * | ------------------------------------ | -------- | ------------------------------------------------- |
 * | accepted                             | accepted | reports of the provider                           |
 * | refused                              | failed   | the address is suppressed where it is at fault    |
 * | failed, another provider is there    | deferred | the next provider, at once                        |
 * | failed                               | deferred | the first provider, by the schedule; else failed  |
 * | unknown                              | unknown  | `resolve-unknown.ts`                              |
 */
import { parseTime } from '../../../kernel/clock.ts'
import { openRetryBudget, type RetryBudget } from '../../../kernel/outgoing/retry-budget.ts'
import { domainOf } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import type { Outcome, Outgoing } from '../providers/outcome.ts'
import type { Offered } from '../providers/providers.ts'
import type { Claimed } from './claim.ts'
import { openGate, type Gate } from './gates.ts'
import { openPace } from './pace.ts'
import type { Ready } from './prepare-messages.ts'
import { takeTrial } from '../suppressions/suppress.ts'
import { resultOf, type Result } from './result.ts'
import { retryAt } from './retry.ts'

export type SendMessage = (ready: Ready, signal: AbortSignal) => Promise<Result | null>

type Parts = Pick<Deps, 'kernel' | 'providers'> & {
  /** False where the lease is no longer ours. */
  mark(claimed: Claimed): Promise<boolean>
}

const rest_ms = 5000
const no_provider_ms = 60_000
const critical_lane = 0

export function openSendMessage({ kernel, providers, mark }: Parts): SendMessage {
  const { settings, clock, fault } = kernel
  const gates = new Map<string, Gate>()
  const pace = openPace(kernel)
  const per_domain = settings['notifications.domain_per_second']
  const per_tenant = settings['notifications.tenant_per_second']
  const gateOf = ({ provider: { name, connections } }: Offered) => {
    const found = gates.get(name) ?? openGate(connections, settings['notifications.bulk_share'])
    gates.set(name, found)
    return found
  }
  const budgets = new Map<string, RetryBudget>()
  /** Retries are a tenth of what a provider gets, so that they do not multiply the load on a sick one. */
  const mayRetry = (name: string, attempt_no: number) => {
    const budget = budgets.get(name) ?? openRetryBudget(() => performance.now())
    budgets.set(name, budget)
    if (attempt_no > 1 && !budget.take()) return false
    budget.called()
    return true
  }
  const mayTry = ({ is_trial, claimed: { tenant_id, channel }, target: { hash } }: Ready) =>
    is_trial ? takeTrial(kernel.db, { tenant_id, channel, hash }) : true
  const again = ({ claimed, target }: Ready, wait_ms: number) =>
    resultOf(claimed, { state: 'pending', target, due_at_ms: clock.nowMs() + wait_ms })

  return async (ready, signal) => {
    const { claimed, target, to } = ready
    const offered = await providers.for(claimed.channel, target.provider)
    const from = Math.max(
      0,
      offered.findIndex(one => one.provider.name === claimed.provider),
    )
    const usable = offered.slice(from).find(one => one.breaker.admits())
    // Nobody to send it yet, or all of them rest: it waits, and ends with its expiry.
    if (!usable) return again(ready, offered.length === 0 ? no_provider_ms : rest_ms)
    if (claimed.lane !== critical_lane) {
      const wait_ms =
        (await pace('tenant', claimed.tenant_id, per_tenant, signal)) ||
        (claimed.channel === 'email' ? await pace('domain', domainOf(to), per_domain, signal) : 0)
      if (wait_ms > 0) return again(ready, wait_ms)
    }
    if (!mayRetry(usable.provider.name, claimed.attempt_no)) return again(ready, rest_ms)
    const leave = await gateOf(usable).enter(claimed.lane)
    try {
      await fault('notifications.before_wire')
      if (!(await mayTry(ready))) {
        return resultOf(claimed, { state: 'skipped', error_code: 'suppressed', target })
      }
      // What has not left when the process stops is for another process, at once.
      if (signal.aborted) return again(ready, 0)
      if (!(await mark(claimed))) return null
      await fault('notifications.after_wire')
      const outcome = await usable.provider.send(
        outgoingOf(ready, clock.nowMs()),
        deadline(kernel, signal),
      )
      await fault('notifications.after_send')
      usable.breaker.settle(outcome)
      const following = offered.slice(offered.indexOf(usable) + 1)
      const rest = following.find(one => one.breaker.admits())?.provider.name ?? null
      return afterOutcome(ready, outcome, {
        provider: usable.provider.name,
        rest,
        rounds: Math.floor((claimed.attempt_no - 1) / Math.max(1, offered.length)),
        now_ms: clock.nowMs(),
        can_ask: usable.provider.find !== undefined,
        unknown_seconds: unknownSeconds(settings, claimed),
      })
    } finally {
      leave()
    }
  }
}

/** Shorter than the lease, so that nobody else sends what is still on its way. */
function deadline({ settings }: Parts['kernel'], signal: AbortSignal): AbortSignal {
  const ms = Math.max(1, settings['notifications.lease_seconds'] - 5) * 1000
  return AbortSignal.any([signal, AbortSignal.timeout(ms)])
}

export function outgoingOf(ready: Ready, now_ms: number): Outgoing {
  const { claimed, to, message, category, unsubscribe_url } = ready
  return {
    ref: refOf(claimed),
    to,
    message,
    category: category.name,
    unsubscribe_url,
    created_at: claimed.created_at,
    ttl_seconds: Math.max(0, Math.round((parseTime(claimed.expires_at) - now_ms) / 1000)),
  }
}

/** The same for every try, so that a second copy can be recognized. */
function refOf({ intent_id, channel, target }: Pick<Claimed, 'intent_id' | 'channel' | 'target'>) {
  return target === '' ? `${intent_id}.${channel}` : `${intent_id}.${channel}.${target}`
}

export function unknownSeconds(
  settings: Parts['kernel']['settings'],
  { channel }: Pick<Claimed, 'channel'>,
): number {
  return channel === 'email'
    ? settings['notifications.unknown_mail_seconds']
    : settings['notifications.unknown_other_seconds']
}

const ask_after_ms = 2000

type Circumstances = {
  readonly provider: string
  readonly rest: string | null
  readonly rounds: number
  readonly now_ms: number
  readonly can_ask: boolean
  readonly unknown_seconds: number
}

function afterOutcome(ready: Ready, outcome: Outcome, at: Circumstances): Result {
  const { claimed, target, sha256 } = ready
  const told = { provider: at.provider, target, sha256 }
  if (outcome.kind === 'accepted') {
    const { provider_message_id } = outcome
    return resultOf(claimed, { ...told, state: 'accepted', provider_message_id })
  }
  const error_code = outcome.code
  if (outcome.kind === 'unknown') {
    const wait_ms = at.can_ask ? ask_after_ms : at.unknown_seconds * 1000
    const due_at_ms = at.now_ms + wait_ms
    return resultOf(claimed, { ...told, state: 'unknown', error_code, due_at_ms })
  }
  if (outcome.kind === 'refused') {
    const { suppress = null, gone = false } = outcome
    return resultOf(claimed, { ...told, state: 'failed', error_code, suppress, gone })
  }
  if (at.rest !== null && !outcome.at_destination) {
    const next = { due_at_ms: at.now_ms, provider: at.rest }
    return resultOf(claimed, { ...told, state: 'deferred', error_code, next })
  }
  const due_at_ms = retryAt(
    claimed.channel,
    at.rounds,
    at.now_ms,
    parseTime(claimed.expires_at),
    outcome.retry_after_seconds ?? null,
  )
  if (due_at_ms === null) return resultOf(claimed, { ...told, state: 'failed', error_code })
  const next = { due_at_ms, provider: null }
  return resultOf(claimed, { ...told, state: 'deferred', error_code, next })
}
