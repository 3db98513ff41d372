/** Gives back the money of an order that ended: stored with the order's end, and carried out by the queue. */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { setPayment, type OrderRow } from '../orders/order-row.ts'
import { requestOperation } from './operation-row.ts'

export async function requestVoid(
  tx: Tx,
  order: OrderRow,
  reason: 'order_expired' | 'order_cancelled',
): Promise<void> {
  if (order.authorize_operation_id === null) return
  const { tenant_id, id: order_id, total_minor: amount_minor } = order
  const wanted = { tenant_id, id: newId(), order_id, type: 'void', amount_minor, reason } as const
  if (!(await requestOperation(tx, wanted))) return
  await setPayment(tx, order, 'releasing', sql`payment_error = null`)
}
