/**
 * Accepts orders in the caller's transaction: plans their channels, writes them, and delivers to
 * channels that need no provider. A scheduled order is planned when it is due. If no channel can be
 * used, the order is written anyway, with the reason. The rows of inboxes are locked last and all
 * together, because other transactions wait for them.
 */
import { newId, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { addToDigests } from '../digests/add-to-digest.ts'
import { addItems, type NewItem } from '../inbox/add-items.ts'
import type { IntentState } from '../schemas.ts'
import { hashOf, render, RenderFailure, type Rendered } from '../templates/render.ts'
import { announce } from '../sending/announce.ts'
import { settleMembers } from '../sending/settle-intents.ts'
import { send_topic } from '../topics.ts'
import type { DataKeys } from '../vault.ts'
import { announces, insertIntent, type NewAttempt } from './insert-intents.ts'
import { languagesFor } from './languages.ts'
import { loadFacts, type FactsOf } from './load-facts.ts'
import type { Order } from './order.ts'
import { repeatedAmong } from './repeated.ts'
import { plan, type Planned } from './plan.ts'
import { textOf } from './recipient.ts'
import type { IntentRow } from './view.ts'

export type Accepted = {
  readonly row: IntentRow
  readonly attempts: readonly NewAttempt[]
}

type Needed = Pick<Deps, 'kernel' | 'vault' | 'people'>

/** Returns null if the key already has an intent. */
export async function accept(tx: Tx, deps: Needed, order: Order): Promise<Accepted | null> {
  const [accepted] = await acceptAll(tx, deps, [order])
  return accepted ?? null
}

export async function acceptAll(
  tx: Tx,
  deps: Needed,
  orders: readonly Order[],
): Promise<(Accepted | null)[]> {
  const now_ms = deps.kernel.clock.nowMs()
  const repeated = await repeatedAmong(tx, orders)
  const [facts, data_keys] = await Promise.all([
    loadFacts(
      tx,
      deps,
      orders
        .filter(one => !waits(one, now_ms))
        .map(one => ({ tenant_id: one.tenant_id, recipient_ref: textOf(one.recipient) })),
    ),
    // All at once, so that transactions that create keys of the same people never deadlock.
    deps.vault.keysFor(
      tx,
      orders.map(one => ({ tenant_id: one.tenant_id, owner_id: one.recipient.id })),
    ),
  ])
  const items: NewItem[] = []
  const collected = addToDigests(
    tx,
    data_keys,
    orders.filter(one => !repeated.has(one)),
  )
  const accepted = await Promise.all(
    orders.map(async order => {
      if (!waits(order, now_ms)) {
        return acceptNow(tx, { ...deps, data_keys, facts, now_ms, items, repeated }, order)
      }
      if (repeated.has(order)) return acceptRepeated(tx, data_keys, order)
      if (order.digest) return withoutAttempts((await collected).get(order))
      return acceptLater(tx, data_keys, order)
    }),
  )
  await addItems(tx, items)
  return accepted
}

function withoutAttempts(row: IntentRow | undefined): Accepted | null {
  return row ? { row, attempts: [] } : null
}

/** A digest collects it, or it is scheduled. */
function waits({ digest, scheduled_at_ms }: Order, now_ms: number): boolean {
  return digest !== null || (scheduled_at_ms !== null && scheduled_at_ms > now_ms)
}

async function acceptLater(tx: Tx, data_keys: DataKeys, order: Order): Promise<Accepted | null> {
  const attempts = order.channels.map(channel => ({
    ...waiting,
    id: newId(),
    channel,
    due_at_ms: order.scheduled_at_ms,
  }))
  const row = await insertIntent(tx, data_keys, { order, state: 'scheduled', attempts, events: 0 })
  return row ? { row, attempts } : null
}

/** Such an order ends at once, also if it were sent later or collected. */
async function acceptRepeated(tx: Tx, data_keys: DataKeys, order: Order): Promise<Accepted | null> {
  const decision = { outcome: 'send', rule: 'none' } as const
  const attempts = order.channels.map(channel => skipped({ channel, decision }, 'deduplicated'))
  return await write(tx, data_keys, order, attempts)
}

type Accepting = Pick<Deps, 'kernel'> & {
  readonly data_keys: DataKeys
  readonly facts: FactsOf
  readonly now_ms: number
  /** Items of inboxes are collected here. */
  readonly items: NewItem[]
  readonly repeated: ReadonlySet<Order>
}

async function acceptNow(
  tx: Tx,
  { kernel, data_keys, facts, now_ms, items, repeated }: Accepting,
  order: Order,
): Promise<Accepted | null> {
  const again = repeated.has(order)
  const planned = plan(order, facts, now_ms)
  const messages = new Map(
    planned.map(one => [one, again ? null : inAppMessage(kernel, order, one, facts)]),
  )
  const attempts = planned.map(one =>
    again ? skipped(one, 'deduplicated') : attemptOf(one, messages.get(one) ?? null, now_ms),
  )
  const accepted = await write(tx, data_keys, order, attempts)
  if (!accepted) return null
  items.push(...itemsOf(order, [...messages.values()]))
  if (attempts.some(one => one.state === 'pending')) tx.wake(send_topic)
  return accepted
}

/** An intent that has ended is announced. */
async function write(
  tx: Tx,
  data_keys: DataKeys,
  order: Order,
  attempts: readonly NewAttempt[],
): Promise<Accepted | null> {
  const state = stateOf(attempts)
  const ended = announces(order) && state !== 'queued' && state !== 'held'
  const row = await insertIntent(tx, data_keys, { order, state, attempts, events: ended ? 1 : 0 })
  if (!row) return null
  if (ended) await announceEnd(tx, order, state, attempts)
  return { row, attempts }
}

const waiting = {
  state: 'pending',
  error_code: null,
  rule: null,
  rendered_sha256: null,
} as const

type Message = Rendered | RenderFailure | null

/** The in-app inbox is in our database, so this transaction delivers its message. */
function inAppMessage(
  kernel: Needed['kernel'],
  order: Order,
  { channel, decision }: Planned,
  facts: FactsOf,
): Message {
  if (channel !== 'in_app' || decision.outcome !== 'send') return null
  const template = order.template.channels.get(channel)
  if (!template) return new RenderFailure('render_failed', 'the template has no text for the inbox')
  const recipient = facts.of(order.tenant_id, textOf(order.recipient))
  try {
    return render(template, {
      data: order.data,
      locales: languagesFor(kernel, recipient, order.locale),
      timezone: recipient.preferences?.timezone ?? 'UTC',
      now: new Date(order.created_at_ms).toISOString(),
      unsubscribe_url: '',
    })
  } catch (error) {
    if (error instanceof RenderFailure) return error
    throw error
  }
}

function attemptOf({ channel, decision }: Planned, message: Message, now_ms: number): NewAttempt {
  const base = { ...waiting, id: newId(), channel, due_at_ms: now_ms }
  if (decision.outcome === 'hold') {
    return { ...base, due_at_ms: decision.until_ms, rule: decision.rule }
  }
  if (decision.outcome === 'skip') return skipped({ channel, decision }, decision.reason)
  if (message instanceof RenderFailure) {
    return { ...base, state: 'failed', error_code: message.code, due_at_ms: null }
  }
  if (!message) return base
  return { ...base, state: 'delivered', due_at_ms: null, rendered_sha256: hashOf(message) }
}

function skipped({ channel, decision }: Pick<Planned, 'channel' | 'decision'>, reason: string) {
  const { rule } = decision
  return {
    ...waiting,
    id: newId(),
    channel,
    state: 'skipped',
    error_code: reason,
    due_at_ms: null,
    rule,
  } as const
}

/** The state according to the attempts. The sender has the same rule in SQL. */
function stateOf(attempts: readonly NewAttempt[]): IntentState {
  const open = attempts.filter(one => one.state === 'pending')
  if (open.length > 0) return open.every(one => one.rule !== null) ? 'held' : 'queued'
  if (attempts.some(one => one.state === 'delivered')) return 'delivered'
  if (attempts.some(one => one.state === 'failed')) return 'failed'
  const expired = attempts.every(
    one => one.error_code === 'expired' || one.error_code === 'quiet_hours_past_expiry',
  )
  return expired ? 'expired' : 'suppressed'
}

function itemsOf(order: Order, messages: readonly Message[]): NewItem[] {
  return messages.flatMap(message =>
    message && !(message instanceof RenderFailure)
      ? [
          {
            tenant_id: order.tenant_id,
            user_id: order.recipient.id,
            intent_id: order.id,
            category: order.category.name,
            message,
          },
        ]
      : [],
  )
}

/** The intent was written with this event counted. */
async function announceEnd(
  tx: Tx,
  order: Order,
  state: IntentState,
  attempts: readonly NewAttempt[],
): Promise<void> {
  const error_code = attempts.find(one => one.error_code !== null)?.error_code ?? null
  announce(tx, {
    tenant_id: order.tenant_id,
    intent_id: order.id,
    category: order.category.name,
    template_version: order.template.ref,
    state,
    channels: order.channels,
    error_code,
    version: 1,
  })
  await settleMembers(tx, [
    { tenant_id: order.tenant_id, state, closes_digest: order.closes_digest },
  ])
}
