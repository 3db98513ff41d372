/** Applies a refund, or the release of an authorization, to its order and its return. */
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import { Type } from 'typebox'
import { setPayment, type OrderRow } from '../orders/order-row.ts'
import { endRefund } from '../returns/end-refund.ts'
import type { Certain } from './ask-payments.ts'
import { requestVoid, settleOperation, type Operation } from './operations.ts'

/** The provider refused to cancel. The authorization ends by itself after some days. */
const refused_pause_seconds = 3600

const Refund = Type.Object({ return_id: nullable(Id) })

export async function applyRefund(
  tx: Tx,
  operation: Operation,
  order: OrderRow,
  answer: Certain,
): Promise<void> {
  if (answer.kind === 'payment') throw new Error('a payment is no refund')
  const { tenant_id, id } = operation
  const state = answer.kind === 'refund' ? answer.result.status : 'failed'
  await settleOperation(tx, operation, state, answer)
  if (state === 'pending') return
  const refund = await tx.maybe(
    Refund,
    sql`
      update commerce.refunds set state = ${state}
      where tenant_id = ${tenant_id} and id = ${id} and state = 'pending'
      returning return_id`,
  )
  const succeeded = state === 'succeeded'
  // After a failed refund, the captured amount stays as it was.
  await addRefunded(tx, order, succeeded ? operation.amount_minor : 0)
  if (refund?.return_id) {
    await endRefund(tx, order, { tenant_id, id: refund.return_id }, succeeded)
  }
}

/**
 * The payment of a cancelled or expired order is released, or refunded if it was captured. If the
 * provider had captured the payment before the release came, the next release refunds it. A refund
 * that failed is owed: it is tried again by cancelling the order once more.
 */
export async function applyVoid(
  tx: Tx,
  operation: Operation,
  order: OrderRow,
  answer: Certain,
): Promise<void> {
  if (answer.kind === 'refused') throw new Error(`a release was refused: ${answer.code}`)
  const { result } = answer
  if (result.status === 'pending') return await settleOperation(tx, operation, 'pending', result)
  if (result.status === 'failed') {
    await settleOperation(tx, operation, 'failed', result)
    return void (await setPayment(tx, order, 'captured'))
  }
  if (result.status !== 'released' && result.status !== 'declined' && !('refund_id' in result)) {
    await settleOperation(tx, operation, 'failed', result)
    const after_seconds = result.status === 'captured' ? 0 : refused_pause_seconds
    const reason = order.state === 'cancelled' ? 'order_cancelled' : 'order_expired'
    return await requestVoid(tx, order, reason, after_seconds)
  }
  await settleOperation(tx, operation, 'succeeded', result)
  if (answer.kind === 'payment') await setPayment(tx, order, 'released')
  else await addRefunded(tx, order, order.amount_captured_minor - order.amount_refunded_minor)
}

/** A refund for one of our returns, or a refund that was made directly in payments. */
export async function addRefunded(tx: Tx, order: OrderRow, by_minor: number): Promise<OrderRow> {
  const refunded = order.amount_refunded_minor + by_minor
  const all = refunded >= order.amount_captured_minor
  const some = refunded === 0 ? 'captured' : 'partially_refunded'
  const state = all ? 'refunded' : some
  return await setPayment(tx, order, state, sql`amount_refunded_minor = ${refunded}`)
}
