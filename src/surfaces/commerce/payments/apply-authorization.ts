/**
 * What an authorization means for its order, from wherever it is learnt: the request, the queue or an event.
 * Only what is authorized while the order still holds its goods confirms it; whatever comes later is given
 * back, so that nobody pays for a lost order.
 */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { confirmOrder } from '../checkout/confirm-order.ts'
import { endPending } from '../checkout/end-pending.ts'
import type { Deps } from '../deps.ts'
import { lockOrder, setPayment, type OrderRow } from '../orders/order-row.ts'
import type { Told } from './ask-payments.ts'
import { settleOperation, type OperationRow } from './operation-row.ts'
import { requestVoid } from './request-void.ts'

export async function applyAuthorization(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  operation: OperationRow,
  told: Told,
): Promise<void> {
  const { tenant_id, order_id } = operation
  const order = await lockOrder(tx, { tenant_id, id: order_id })
  if (!order || told.kind === 'later') return
  if (told.kind === 'refund') throw new Error('a refund is no authorization')
  if (told.kind === 'refused') return await applyDecline(tx, operation, order, told.code)
  const { status, intent_id, decline_code, authorization_expires_at } = told.result
  if (status === 'declined' || status === 'released') {
    return await applyDecline(tx, operation, order, decline_code ?? status, intent_id)
  }
  if (status === 'pending' || status === 'requires_action') {
    await settleOperation(tx, operation, 'pending', told.result)
    const waits = status === 'pending' ? 'pending_provider' : 'requires_action'
    if (order.state !== 'pending' || order.payment_state === waits) return
    await setPayment(tx, order, waits, sql`intent_id = ${intent_id}`)
    return
  }
  if (!(await settleOperation(tx, operation, 'succeeded', told.result))) return
  if (order.state !== 'pending') return await requestVoid(tx, order, 'order_expired')
  const held = await setPayment(
    tx,
    order,
    'authorized',
    sql`intent_id = ${intent_id}, amount_authorized_minor = ${operation.amount_minor},
      authorization_expires_at = ${authorization_expires_at}::timestamptz`,
  )
  if (await confirmOrder(tx, deps, held)) return
  await endPending(tx, held, { to: 'expired', reason_code: 'reservation_expired' })
}

async function applyDecline(
  tx: Tx,
  operation: OperationRow,
  order: OrderRow,
  decline_code: string,
  intent_id: string | null = null,
): Promise<void> {
  const error = { code: 'payment_declined', decline_code }
  if (!(await settleOperation(tx, operation, 'failed', error))) return
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
