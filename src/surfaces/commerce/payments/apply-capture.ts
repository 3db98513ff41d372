/** What a capture means for its order: what waits for it is shipped, or goes back to be prepared. */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { lockOrder, setPayment } from '../orders/order-row.ts'
import { fulfilUnshipped } from '../shipments/fulfil-unshipped.ts'
import { shipWaiting, unshipWaiting } from '../shipments/ship.ts'
import type { Told } from './ask-payments.ts'
import { settleOperation, type OperationRow } from './operation-row.ts'

export async function applyCapture(tx: Tx, operation: OperationRow, told: Told): Promise<void> {
  const { tenant_id, order_id, amount_minor } = operation
  const order = await lockOrder(tx, { tenant_id, id: order_id })
  if (!order || told.kind === 'later') return
  if (told.kind === 'payment' && told.result.status === 'captured') {
    if (!(await settleOperation(tx, operation, 'succeeded', told.result))) return
    const taken = await setPayment(
      tx,
      order,
      'captured',
      sql`amount_captured_minor = ${amount_minor}, payment_error = null`,
    )
    await shipWaiting(tx, taken)
    return await fulfilUnshipped(tx, taken)
  }
  if (told.kind === 'payment' && told.result.status === 'pending') {
    await settleOperation(tx, operation, 'pending', told.result)
    return
  }
  const gone = told.kind === 'payment' && told.result.status === 'released'
  const decline_code = told.kind === 'payment' ? told.result.decline_code : codeOf(told)
  const error = { code: 'payment_not_capturable', decline_code }
  if (!(await settleOperation(tx, operation, 'failed', error))) return
  await setPayment(
    tx,
    order,
    gone ? 'released' : order.payment_state,
    sql`payment_error = ${sql.json(error)}::jsonb`,
  )
  await unshipWaiting(tx, order)
}

function codeOf(told: Told): string | null {
  return told.kind === 'refused' ? told.code : null
}
