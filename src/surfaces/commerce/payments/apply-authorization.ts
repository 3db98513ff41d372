/**
 * Applies an authorization to its order, whether the request, the queue or an event reported it.
 * The order is confirmed only while it still reserves its stock. A later authorization is released,
 * so that a lost order is never paid.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { confirmOrder } from '../checkout/confirm-order.ts'
import { endPending } from '../checkout/end-pending.ts'
import { countDecline } from '../checkout/guest-limits.ts'
import type { Deps } from '../deps.ts'
import type { Order } from '../orders/order-view.ts'
import { setPayment, type OrderRow } from '../orders/order-row.ts'
import type { Certain } from './ask-payments.ts'
import { requestVoid, settleOperation, type Operation } from './operations.ts'

/** The order as shown in replies, if it was confirmed. */
export async function applyAuthorization(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'payments'>,
  operation: Operation,
  order: OrderRow,
  answer: Certain,
): Promise<Order | undefined> {
  if (answer.kind === 'refund') throw new Error('a refund is no authorization')
  if (answer.kind === 'refused') {
    await applyDecline(tx, deps, { operation, order, decline_code: answer.code, intent_id: null })
    return undefined
  }
  const { status, intent_id, decline_code, authorization_expires_at } = answer.result
  if (status === 'declined' || status === 'released') {
    const code = decline_code ?? status
    await applyDecline(tx, deps, { operation, order, decline_code: code, intent_id })
    return undefined
  }
  if (status === 'pending' || status === 'requires_action') {
    await settleOperation(tx, operation, 'pending', answer.result)
    const waits = status === 'pending' ? 'pending_provider' : 'requires_action'
    if (order.state !== 'pending' || order.payment_state === waits) return undefined
    await setPayment(tx, order, waits, sql`intent_id = ${intent_id}`)
    // So its page looks for what the payer has to do.
    if (order.request_id !== null) {
      const request = { tenant_id: order.tenant_id, id: order.request_id }
      await deps.payments.requests.follow(tx, request, 'processing', intent_id)
    }
    return undefined
  }
  const settled = settleOperation(tx, operation, 'succeeded', answer.result)
  if (order.state !== 'pending') {
    await settled
    await requestVoid(tx, order, 'order_expired')
    return undefined
  }
  const held = sql`intent_id = ${intent_id}, amount_authorized_minor = ${operation.amount_minor},
    authorization_expires_at = ${authorization_expires_at}::timestamptz`
  const paid = sql`payment_state = 'authorized', ${held}`
  const [, confirmed] = await Promise.all([settled, confirmOrder(tx, deps, order, paid)])
  if (confirmed) return confirmed
  const late = await setPayment(tx, order, 'authorized', held)
  const reason_code = late.buyer_erased ? 'buyer_erased' : 'reservation_expired'
  await endPending(tx, deps, late, { to: 'expired', reason_code })
  return undefined
}

/** Payments refused to ask the bank, before or after the authorization was begun. */
const limits: ReadonlySet<string> = new Set(['rate_limited', 'too_many_declines'])

type Declined = {
  readonly operation: Operation
  readonly order: OrderRow
  readonly decline_code: string
  readonly intent_id: string | null
}

async function applyDecline(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'payments'>,
  { operation, order, decline_code, intent_id }: Declined,
): Promise<void> {
  const code = limits.has(decline_code) ? 'rate_limited' : 'payment_declined'
  const error = { code, decline_code }
  await settleOperation(tx, operation, 'failed', error)
  const lost = order.state === 'pending'
  const declined = await setPayment(
    tx,
    order,
    lost ? 'declined' : 'released',
    sql`payment_error = ${sql.json(error)}::jsonb,
      intent_id = coalesce(${intent_id}::uuid, o.intent_id)`,
  )
  // Before the goods are given back, as a checkout takes both in this order.
  if (lost && code === 'payment_declined') await countDecline(tx, deps, declined)
  if (lost)
    await endPending(tx, deps, declined, { to: 'payment_failed', reason_code: decline_code })
}
