/**
 * Applies a capture to its order. If the capture succeeded, the shipment that waits for it is sent.
 * Otherwise the shipment can be prepared again.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { setPayment, type OrderRow } from '../orders/order-row.ts'
import { fulfilUnshipped, shipWaiting, unshipWaiting } from '../shipments/ship.ts'
import type { Certain } from './ask-payments.ts'
import { settleOperation, type Operation } from './operations.ts'

export async function applyCapture(
  tx: Tx,
  operation: Operation,
  order: OrderRow,
  answer: Certain,
): Promise<void> {
  const status = answer.kind === 'payment' ? answer.result.status : null
  if (answer.kind === 'payment' && status === 'captured') {
    await settleOperation(tx, operation, 'succeeded', answer.result)
    const taken = await setPayment(
      tx,
      order,
      'captured',
      sql`amount_captured_minor = ${operation.amount_minor}, payment_error = null`,
    )
    await shipWaiting(tx, taken)
    return await fulfilUnshipped(tx, taken)
  }
  if (answer.kind === 'payment' && status === 'pending') {
    return await settleOperation(tx, operation, 'pending', answer.result)
  }
  const error = { code: 'payment_not_capturable', decline_code: declineOf(answer) }
  await settleOperation(tx, operation, 'failed', error)
  await setPayment(
    tx,
    order,
    status === 'released' ? 'released' : order.payment_state,
    sql`payment_error = ${sql.json(error)}::jsonb`,
  )
  await unshipWaiting(tx, order)
}

function declineOf(answer: Certain): string | null {
  if (answer.kind === 'payment') return answer.result.decline_code
  return answer.kind === 'refused' ? answer.code : null
}
