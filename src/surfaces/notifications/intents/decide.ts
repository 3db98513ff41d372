/**
 * Whether a message goes out on a channel now, later or not at all: one pure function, asked when an intent
 * is accepted and again right before each send, so that the later state wins. The rules in their order:
 *
 * | rule        | skips or holds when                           | does not apply to                      |
 * | ----------- | --------------------------------------------- | -------------------------------------- |
 * | expiry      | the intent has expired                        |                                        |
 * | sender      | its sender has lost the right to send it      | messages of the platform's own code    |
 * | provider    | no provider of the channel is configured      |                                        |
 * | destination | there is none, or it is not verified          |                                        |
 * | preference  | the person switched it off                    | critical, class security, mandatory    |
 * | suppression | the address is suppressed                     | security: complaints, unsubscribing,   |
 * |             |                                               | by hand; a bounce once a day           |
 * | quiet_hours | it is quiet at the person's place (holds)     | critical, class security, in-app       |
 */
import type { Category } from '../categories/built-in.ts'
import { quietUntil } from '../preferences/quiet-hours.ts'
import type { Wish } from '../preferences/resolve.ts'
import type { Channel, Priority } from '../schemas.ts'

export type Suppressed = {
  readonly reason: string
  readonly category: string
  readonly effective_at_ms: number
  /** The time from which a mail of class security may be tried in spite of a bounce. */
  readonly retry_at_ms: number | null
}

export type Facts = {
  readonly now_ms: number
  readonly expires_at_ms: number
  readonly channel: Channel
  readonly category: Category
  readonly priority: Priority
  readonly wish: Wish
  /** Whether the sender has the right to send the message now. */
  readonly sender_may: boolean
  readonly served: boolean
  readonly destination: 'present' | 'absent' | 'unverified'
  readonly suppressed: readonly Suppressed[]
}

export type Rule =
  | 'expiry'
  | 'sender'
  | 'provider'
  | 'destination'
  | 'preference'
  | 'suppression'
  | 'quiet_hours'
  | 'none'

export type Decision =
  | { readonly outcome: 'send'; readonly rule: Rule }
  | { readonly outcome: 'hold'; readonly rule: Rule; readonly until_ms: number }
  | { readonly outcome: 'skip'; readonly rule: Rule; readonly reason: string }

const day_ms = 86_400_000

export function decide(facts: Facts): Decision {
  const first = refusalsOf(facts).next()
  return first.done ? { outcome: 'send', rule: first.value } : first.value
}

/** All that stops or holds the message, in the order of the rules. Returns the rule of a sending. */
export function* refusalsOf(facts: Facts): Generator<Exclude<Decision, { outcome: 'send' }>, Rule> {
  const { now_ms, expires_at_ms, channel, category, priority, wish, served, destination } = facts
  if (expires_at_ms <= now_ms) yield { outcome: 'skip', rule: 'expiry', reason: 'expired' }
  if (!facts.sender_may) yield { outcome: 'skip', rule: 'sender', reason: 'sender_revoked' }
  if (!served) yield { outcome: 'skip', rule: 'provider', reason: 'no_provider' }
  if (destination !== 'present') {
    yield { outcome: 'skip', rule: 'destination', reason: 'no_destination' }
  }
  const urgent = priority === 'critical' || category.class === 'security'
  if (!urgent && category.user_can_disable && !wish.enabled) {
    yield { outcome: 'skip', rule: 'preference', reason: 'preference_disabled' }
  }
  const blocking = facts.suppressed.map(one => blocks(one, facts))
  if (blocking.includes('yes')) yield { outcome: 'skip', rule: 'suppression', reason: 'suppressed' }
  else if (blocking.includes('trial')) return 'suppression'
  const may_wait = !urgent && category.respects_quiet_hours && channel !== 'in_app'
  const until_ms =
    may_wait && wish.quiet_hours ? quietUntil(now_ms, wish.quiet_hours, wish.timezone) : null
  if (until_ms !== null) {
    yield until_ms < expires_at_ms
      ? { outcome: 'hold', rule: 'quiet_hours', until_ms }
      : { outcome: 'skip', rule: 'quiet_hours', reason: 'quiet_hours_past_expiry' }
  }
  return 'none'
}

/** Unsubscribing applies to one category; a bounced address is blocked for all categories. */
function blocks(one: Suppressed, { now_ms, category }: Facts): 'yes' | 'no' | 'trial' {
  if (one.category !== '*' && one.category !== category.name) return 'no'
  if (category.class !== 'security') return 'yes'
  // An administrator must not keep password resets from other people.
  if (['complaint', 'unsubscribe', 'manual'].includes(one.reason)) return 'no'
  if (one.reason !== 'hard_bounce') return 'yes'
  return now_ms < (one.retry_at_ms ?? one.effective_at_ms + day_ms) ? 'yes' : 'trial'
}
