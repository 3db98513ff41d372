/** Returns what would happen to a notification now, for each channel. Writes nothing. */
import { Type, type Static } from 'typebox'
import { Id, nil_id, rfc3339, sql, type Tx } from '#dodeca/kernel'
import { destinationHash, type Address } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Channel, Recipient } from '../schemas.ts'
import { refusalsOf, type Decision } from './decide.ts'
import { loadFacts, readSuppressions, type FactsOf, type Target } from './load-facts.ts'
import { planChannel } from './plan.ts'
import { requireData, prepare } from './prepare-order.ts'
import { unservedChannels } from '../providers/read-relays.ts'
import type { Caller } from './read-notification.ts'
import { addressOf, textOf, type RecipientRef } from './recipient.ts'
import type { Explained, NewNotification } from './schemas.ts'

const Found = Type.Object({ id: Id })

export async function explain(
  tx: Tx,
  deps: Deps,
  { principal: { tenant_id }, grants }: Caller,
  asked: NewNotification,
): Promise<Static<typeof Explained>> {
  const prepared = await prepare(tx, deps, { tenant_id, grants }, asked)
  await requireData(deps, prepared.template, asked.data ?? {})
  const { recipient, facts } = await factsFor(tx, deps, tenant_id, asked.recipient)
  const { digest } = asked
  const now_ms = deps.kernel.clock.nowMs()
  const begins_ms = digest
    ? now_ms + digest.window_seconds * 1000
    : Math.max(now_ms, prepared.scheduled_at_ms ?? 0)
  return {
    channels: prepared.channels.map(channel => {
      const about = { tenant_id, recipient, sender_may: true, ...prepared }
      const { decision, facts: known } = planChannel(about, channel, facts, begins_ms)
      if (digest && decision.outcome === 'send') return collected(channel, begins_ms)
      return {
        channel,
        decision: decision.outcome,
        at: atOf(decision, begins_ms),
        because: decision.outcome === 'send' ? [nothing] : [...refusalsOf(known)].map(reasonOf),
      }
    }),
  }
}

/** At the latest then: a digest that is open already closes earlier. */
function collected(channel: Channel, until_ms: number) {
  const because = ['Messages with this key are collected, at the latest until then.']
  return { channel, decision: 'hold' as const, at: rfc3339(until_ms), because }
}

async function factsFor(tx: Tx, deps: Deps, tenant_id: string, given: Recipient) {
  const address = addressOf(given, '/recipient')
  if (address)
    return { recipient: nowhere, facts: await factsOfAddress(tx, deps, tenant_id, address) }
  const { user_id, destination_id } = given
  const recipient: RecipientRef =
    user_id === undefined
      ? { kind: 'destination', id: destination_id ?? nil_id }
      : { kind: 'user', id: user_id.toLowerCase() }
  if (recipient.kind === 'destination') await requireDestination(tx, tenant_id, recipient.id)
  const wanted = [{ tenant_id, recipient_ref: textOf(recipient) }]
  return { recipient, facts: await loadFacts(tx, deps, wanted) }
}

async function requireDestination(tx: Tx, tenant_id: string, id: string): Promise<void> {
  const found = await tx.maybe(
    Found,
    sql`select id from notifications.destinations where tenant_id = ${tenant_id} and id = ${id}`,
  )
  if (!found) throw problem('destination_not_found')
}

const nowhere: RecipientRef = { kind: 'destination', id: nil_id }

/** An address that was never used has no row yet, and this function creates none. */
async function factsOfAddress(
  tx: Tx,
  { kernel }: Deps,
  tenant_id: string,
  address: Address,
): Promise<FactsOf> {
  const hash = destinationHash(kernel.keys, tenant_id, address)
  const found = await readSuppressions(tx, [{ tenant_id, hash }])
  const unserved = unservedChannels(kernel)
  const target: Target = {
    channel: address.channel,
    destination_id: null,
    provider: '',
    hash,
    masked: address.masked,
    verified: true,
    address: address.address,
  }
  return {
    of: () => ({ ref: nowhere, person: null, preferences: undefined, targets: [target] }),
    suppressed: () => found.get(`${tenant_id} ${address.channel} ${hash.toString('base64')}`) ?? [],
    served: channel => !unserved.has(channel),
  }
}

function atOf(decision: Decision, begins_ms: number): string | null {
  if (decision.outcome === 'send') return rfc3339(begins_ms)
  return decision.outcome === 'hold' ? rfc3339(decision.until_ms) : null
}

const nothing = 'Nothing holds it back.'

function reasonOf(decision: Exclude<Decision, { outcome: 'send' }>): string {
  if (decision.outcome === 'hold') return 'It is quiet hours for this person until then.'
  return reasons[decision.reason] ?? decision.reason
}

const reasons: Readonly<Record<string, string>> = {
  expired: 'It expires before it could be sent.',
  no_provider: 'No provider of this channel is configured, so nothing is sent on it.',
  no_destination: 'There is no verified destination for this channel.',
  preference_disabled: 'The person switched this category off on this channel.',
  suppressed: 'The destination is suppressed: it bounced, complained, unsubscribed or was blocked.',
  quiet_hours_past_expiry: 'Quiet hours end after it expires.',
}
