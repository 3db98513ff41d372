/**
 * Decides what would happen now on each channel of an order. Accepting an order and explaining it
 * use the same decision.
 */
import { wishFor } from '../preferences/resolve.ts'
import type { Channel } from '../schemas.ts'
import { decide, type Decision, type Facts } from './decide.ts'
import type { FactsOf, Target } from './load-facts.ts'
import type { Order } from './order.ts'
import { isMail, textOf, type RecipientRef } from './recipient.ts'

export type Planned = {
  readonly channel: Channel
  readonly decision: Decision
  readonly target: Target | null
}

type Subject = Pick<
  Order,
  'tenant_id' | 'recipient' | 'category' | 'priority' | 'channels' | 'expires_at_ms'
>
type Message = Omit<Subject, 'channels'> & { readonly sender_may: boolean }

/** The sender's right was checked with the request. */
export function plan(order: Subject, facts: FactsOf, now_ms: number): Planned[] {
  return order.channels.map(channel =>
    planChannel({ ...order, sender_may: true }, channel, facts, now_ms),
  )
}

/** `device` limits a push message to one of several devices. */
export function planChannel(
  { tenant_id, recipient, category, priority, expires_at_ms, sender_may }: Message,
  channel: Channel,
  facts: FactsOf,
  now_ms: number,
  device?: string,
): Planned & { readonly facts: Facts } {
  const { person, preferences, targets, ref } = facts.of(tenant_id, textOf(recipient))
  const usable = targets.filter(
    one => one.channel === channel && (device === undefined || one.destination_id === device),
  )
  const target = usable.find(one => one.verified) ?? null
  const suppressed = target ? facts.suppressed(tenant_id, target) : []
  const facts_now: Facts = {
    now_ms,
    expires_at_ms,
    channel,
    category,
    priority,
    wish: wishFor(preferences, category.name, channel),
    sender_may,
    served: facts.served(channel),
    destination: destinationOf(channel, ref.kind, person !== null, target, usable.length > 0),
    suppressed,
  }
  return { channel, decision: decide(facts_now), target, facts: facts_now }
}

function destinationOf(
  channel: Channel,
  kind: RecipientRef['kind'],
  exists: boolean,
  target: Target | null,
  unverified: boolean,
): Facts['destination'] {
  // The address of such mails is asked when they are sent.
  if (isMail(kind)) return channel === 'email' ? 'present' : 'absent'
  if (channel === 'in_app') return kind === 'user' && exists ? 'present' : 'absent'
  if (target) return 'present'
  return unverified ? 'unverified' : 'absent'
}
