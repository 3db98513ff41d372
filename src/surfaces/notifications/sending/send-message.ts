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
import { openRetryBudget, parseTime, type RetryBudget } from '#dodeca/kernel'
import { domainOf } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import type { Outcome, Outgoing } from '../providers/outcome.ts'
import type { Offered } from '../providers/providers.ts'
import { choose } from './choose.ts'
import type { Claimed } from './claim.ts'
import { openGate, type Gate } from './gates.ts'
import { openPace } from './pace.ts'
import type { Ready } from './prepare-messages.ts'
import { takeTrial } from '../suppressions/suppress.ts'
import { resultOf, type Result } from './result.ts'
import { retryAt } from './retry.ts'

export type SendMessage = (ready: Ready, signal: AbortSignal) => Promise<Result | null>

type Parts = Pick<Deps, 'kernel' | 'providers'> & {
  /** False if the lease was lost. */
  mark(leaving: Claimed): Promise<boolean>
}

const rest_ms = 5000
const no_provider_ms = 60_000
const critical_lane = 0

export function openSendMessage({ kernel, providers, mark }: Parts): SendMessage {
  const { settings, clock, fault } = kernel
  const gates = new Map<string, { ahead: Gate; line: Gate }>()
  const waitFor = openRates(kernel)
  /**
   * While a connection sends, the next message is marked, because the commit of a mark takes as
   * long as a mail.
   */
  const gatesOf = ({ provider: { name, connections } }: Offered) => {
    const gate = () => openGate(connections, settings['notifications.bulk_share'])
    const found = gates.get(name) ?? { ahead: gate(), line: gate() }
    gates.set(name, found)
    return found
  }
  const mayRetry = openBudgets()
  const mayTry = ({ is_trial, claimed: { tenant_id, channel }, target: { hash } }: Ready) =>
    is_trial ? takeTrial(kernel.db, { tenant_id, channel, hash }) : true
  const again = ({ claimed, target }: Ready, wait_ms: number) =>
    resultOf(claimed, { state: 'pending', target, due_at_ms: clock.nowMs() + wait_ms })

  return async (ready, signal) => {
    const { claimed, target } = ready
    const offered = await providers.for(claimed.channel, target.provider)
    const wait_ms = await waitFor(ready, signal)
    if (wait_ms > 0) return again(ready, wait_ms)
    const chosen = choose(offered, claimed)
    // There is no provider, or all circuits are open. The message waits until it expires.
    if (!chosen) return again(ready, offered.length === 0 ? no_provider_ms : rest_ms)
    const { provider, admission } = chosen
    let outcome: Outcome | null = null
    const { ahead, line } = gatesOf(chosen)
    const leaves = [await ahead.enter(claimed.lane)]
    try {
      // When the process stops, unsent messages become due immediately for another process.
      if (signal.aborted) return again(ready, 0)
      if (!mayRetry(provider.name, claimed.attempt_no)) return again(ready, rest_ms)
      if (!(await mayTry(ready))) {
        return resultOf(claimed, { state: 'skipped', error_code: 'suppressed', target })
      }
      await fault('notifications.before_wire')
      const until_ms = performance.now() + usableSeconds(settings) * 1000
      if (!(await mark({ ...claimed, provider: provider.name }))) return null
      await fault('notifications.after_wire')
      leaves.push(await line.enter(claimed.lane))
      leaves.shift()?.()
      const left_ms = Math.floor(until_ms - performance.now())
      // Nothing was sent yet. Too little is left of the lease, because the connections are slow.
      if (left_ms < (usableSeconds(settings) * 1000) / 2) return again(ready, 0)
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(left_ms)])
      outcome = await provider.send(outgoingOf(ready, clock.nowMs()), deadline)
      await fault('notifications.after_send')
    } finally {
      for (const leave of leaves) leave()
      admission.settle(outcome)
    }
    const place = offered.findIndex(one => one.provider === provider)
    const following = claimed.pinned ? [] : offered.slice(place + 1)
    return afterOutcome(ready, outcome, {
      provider: provider.name,
      rest: following.find(one => !one.breaker.isOpen())?.provider.name ?? null,
      rounds: Math.floor((claimed.attempt_no - 1) / Math.max(1, offered.length)),
      now_ms: clock.nowMs(),
      can_ask: provider.find !== undefined,
      unknown_seconds: unknownSeconds(settings, claimed),
    })
  }
}

/** The time that a message waits for the rates of its tenant and of the recipient's domain. */
function openRates(kernel: Parts['kernel']) {
  const pace = openPace(kernel)
  const per_domain = kernel.settings['notifications.domain_per_second']
  const per_tenant = kernel.settings['notifications.tenant_per_second']
  return async ({ claimed, to }: Ready, signal: AbortSignal): Promise<number> => {
    const { lane, tenant_id, channel } = claimed
    if (lane === critical_lane) return 0
    const wait_ms = await pace('tenant', tenant_id, per_tenant, signal)
    if (wait_ms > 0 || channel !== 'email') return wait_ms
    return pace('domain', domainOf(to), per_domain, signal)
  }
}

/**
 * Retries are at most a tenth of the messages to a provider, so that they do not multiply the load
 * on a failing one.
 */
function openBudgets() {
  const budgets = new Map<string, RetryBudget>()
  return (name: string, attempt_no: number): boolean => {
    const budget = budgets.get(name) ?? openRetryBudget(() => performance.now())
    budgets.set(name, budget)
    if (attempt_no > 1 && !budget.take()) return false
    budget.called()
    return true
  }
}

/**
 * The time from the mark within which a message must have been sent. It is shorter than the lease,
 * which the mark renews, so that no other process sends a message that is still being sent.
 */
function usableSeconds(settings: Parts['kernel']['settings']): number {
  return Math.max(1, settings['notifications.lease_seconds'] - 5)
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

/** The same for every attempt, so that a duplicate can be recognized. */
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
  const sent = { provider: at.provider, target, sha256 }
  if (outcome.kind === 'accepted') {
    const { provider_message_id } = outcome
    return resultOf(claimed, { ...sent, state: 'accepted', provider_message_id })
  }
  const error_code = outcome.code
  if (outcome.kind === 'unknown') {
    const wait_ms = at.can_ask ? ask_after_ms : at.unknown_seconds * 1000
    const due_at_ms = at.now_ms + wait_ms
    return resultOf(claimed, { ...sent, state: 'unknown', error_code, due_at_ms })
  }
  if (outcome.kind === 'refused') {
    const { suppress = null, gone = false } = outcome
    return resultOf(claimed, { ...sent, state: 'failed', error_code, suppress, gone })
  }
  if (at.rest !== null && !outcome.at_destination) {
    const next = { due_at_ms: at.now_ms, provider: at.rest, pinned: false }
    return resultOf(claimed, { ...sent, state: 'deferred', error_code, next })
  }
  const due_at_ms = retryAt(
    claimed.channel,
    at.rounds,
    at.now_ms,
    parseTime(claimed.expires_at),
    outcome.retry_after_seconds ?? null,
  )
  if (due_at_ms === null) return resultOf(claimed, { ...sent, state: 'failed', error_code })
  const { pinned } = claimed
  const next = { due_at_ms, provider: pinned ? at.provider : null, pinned }
  return resultOf(claimed, { ...sent, state: 'deferred', error_code, next })
}
