/**
 * What an authorization means for its order, whether the request, the queue or an event brought it. Only what
 * is authorized while the order still holds its goods confirms it; what comes later is released, so that a
 * lost order is never paid.
 */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { confirmOrder } from '../checkout/confirm-order.ts'
import { endPending } from '../checkout/end-pending.ts'
import type { Deps } from '../deps.ts'
import { setPayment, type OrderRow } from '../orders/order-row.ts'
import type { Certain } from './ask-payments.ts'
import { requestVoid, settleOperation, type Operation } from './operations.ts'

export async function applyAuthorization(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  operation: Operation,
  order: OrderRow,
  answer: Certain,
): Promise<void> {
  if (answer.kind === 'refund') throw new Error('a refund is no authorization')
  if (answer.kind === 'refused') return await applyDecline(tx, operation, order, answer.code)
  const { status, intent_id, decline_code, authorization_expires_at } = answer.result
  if (status === 'declined' || status === 'released') {
    return await applyDecline(tx, operation, order, decline_code ?? status, intent_id)
  }
  if (status === 'pending' || status === 'requires_action') {
    await settleOperation(tx, operation, 'pending', answer.result)
    const waits = status === 'pending' ? 'pending_provider' : 'requires_action'
    if (order.state !== 'pending' || order.payment_state === waits) return
    await setPayment(tx, order, waits, sql`intent_id = ${intent_id}`)
    return
  }
  await settleOperation(tx, operation, 'succeeded', answer.result)
  if (order.state !== 'pending') return await requestVoid(tx, order, 'order_expired')
  const held = sql`intent_id = ${intent_id}, amount_authorized_minor = ${operation.amount_minor},
    authorization_expires_at = ${authorization_expires_at}::timestamptz`
  if (await confirmOrder(tx, deps, order, sql`payment_state = 'authorized', ${held}`)) return
  const late = await setPayment(tx, order, 'authorized', held)
  await endPending(tx, late, { to: 'expired', reason_code: 'reservation_expired' })
}

async function applyDecline(
  tx: Tx,
  operation: Operation,
  order: OrderRow,
  decline_code: string,
  intent_id: string | null = null,
): Promise<void> {
  const error = { code: 'payment_declined', decline_code }
  await settleOperation(tx, operation, 'failed', error)
  const lost = order.state === 'pending'
  const declined = await setPayment(
    tx,
    order,
    lost ? 'declined' : 'released',
    sql`payment_error = ${sql.json(error)}::jsonb,
      intent_id = coalesce(${intent_id}::uuid, o.intent_id)`,
  )
  if (lost) await endPending(tx, declined, { to: 'payment_failed', reason_code: decline_code })
}
