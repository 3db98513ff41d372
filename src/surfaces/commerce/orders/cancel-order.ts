/**
 * Cancels an order before anything is shipped. The lock on the order's row decides between this and
 * shipping. This transaction releases the stock; the queue releases or refunds the payment.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import { Type } from 'typebox'
import { endPending } from '../checkout/end-pending.ts'
import { releaseCodes } from '../checkout/hold-codes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { giveBack } from '../inventory/stock.ts'
import { requestOperation, requestVoid } from '../payments/operations.ts'
import { announceOrder, moveOrder, setPayment, type OrderRow } from './order-row.ts'

const Blocked = Type.Object({ capturing: Type.Boolean(), shipping: Type.Boolean() })

/**
 * The order is locked. An order that has ended without its goods stays as it is, and its failed
 * refund is tried again.
 */
export async function cancelOrder(
  tx: Tx,
  deps: Pick<Deps, 'payments'>,
  order: OrderRow,
  reason_code: string,
): Promise<void> {
  const owed = ['captured', 'partially_refunded'].includes(order.payment_state)
  if (order.state === 'cancelled' || (order.state === 'expired' && owed)) {
    if (owed) await returnMoney(tx, order)
    return
  }
  if (order.state === 'pending') {
    await endPending(tx, deps, order, { to: 'cancelled', reason_code })
    return
  }
  await requireCancellable(tx, order)
  const cancelled = await moveOrder(tx, order, { to: 'cancelled', reason_code })
  if (!cancelled) throw new Error('the order is locked')
  const { tenant_id, id } = order
  await tx.run(sql`
    update commerce.shipments set state = 'cancelled', version = version + 1
    where tenant_id = ${tenant_id} and order_id = ${id} and state = 'preparing'`)
  await releaseCodes(tx, order)
  await giveBack(tx, order, 'released')
  announceOrder(tx, cancelled, 'order.cancelled', { reason_code })
  await returnMoney(tx, cancelled)
}

async function requireCancellable(tx: Tx, order: OrderRow): Promise<void> {
  const { tenant_id, id, state } = order
  const { capturing, shipping } = await tx.one(
    Blocked,
    sql`
      select exists (
          select from commerce.payment_operations
          where tenant_id = ${tenant_id} and order_id = ${id} and type = 'capture'
            and state in ('requested', 'pending')) as capturing,
        exists (
          select from commerce.shipments
          where tenant_id = ${tenant_id} and order_id = ${id}
            and state in ('awaiting_capture', 'shipped', 'delivered', 'lost')) as shipping`,
  )
  if (state === 'confirmed' && !capturing && !shipping) return
  throw problem('order_not_cancellable', {
    current_state: state,
    detail: adviceFor(state, capturing),
  })
}

function adviceFor(state: OrderRow['state'], capturing: boolean): string {
  if (state === 'confirmed' && capturing) return 'Its money is being taken. Try again in a moment.'
  if (state !== 'confirmed' && state !== 'fulfilled') return 'It has ended already.'
  return 'A part of it was shipped. Return it instead.'
}

async function returnMoney(tx: Tx, order: OrderRow): Promise<void> {
  const { tenant_id, id: order_id, amount_captured_minor, amount_refunded_minor } = order
  const amount_minor = amount_captured_minor - amount_refunded_minor
  if (amount_captured_minor === 0) return await requestVoid(tx, order, 'order_cancelled')
  if (amount_minor === 0) return
  const id = newId()
  await tx.run(sql`
    insert into commerce.refunds (tenant_id, id, order_id, amount_minor)
    values (${tenant_id}, ${id}, ${order_id}, ${amount_minor})`)
  const reason = 'order_cancelled'
  await requestOperation(tx, { tenant_id, id, order_id, type: 'refund', amount_minor, reason })
  await setPayment(tx, order, 'releasing')
}
