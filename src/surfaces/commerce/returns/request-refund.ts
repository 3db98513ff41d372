/**
 * Requests the refund of a return from payments, at most what earlier refunds of the order leave:
 * one that was made directly in payments may have returned the money already. Each attempt has its
 * own row. The row is created after the last attempt failed.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { OrderRow } from '../orders/order-row.ts'
import { requestOperation } from '../payments/operations.ts'
import { announceReturn, moveReturn, type ReturnRow, type ReturnState } from './return-row.ts'

export async function requestRefund(
  tx: Tx,
  order: OrderRow,
  { tenant_id, id, state }: Pick<ReturnRow, 'tenant_id' | 'id' | 'state'>,
  due_minor: number,
): Promise<ReturnRow> {
  const refund_minor = Math.min(due_minor, await refundableOf(tx, order))
  const key = { tenant_id, id }
  const from: readonly ReturnState[] = [state]
  const sum = sql`refund_minor = ${refund_minor}`
  if (refund_minor === 0) {
    const ended = await moveReturn(tx, key, from, 'refunded', sum)
    await announceReturn(tx, 'return.refunded', ended, order)
    return ended
  }
  const operation_id = state === 'received' ? id : newId()
  const pending = await moveReturn(tx, key, from, 'refund_pending', sum)
  await tx.run(sql`
    insert into commerce.refunds (tenant_id, id, order_id, return_id, amount_minor)
    values (${tenant_id}, ${operation_id}, ${order.id}, ${id}, ${refund_minor})`)
  await requestOperation(tx, {
    tenant_id,
    id: operation_id,
    order_id: order.id,
    type: 'refund',
    amount_minor: refund_minor,
    reason: 'requested_by_customer',
  })
  return pending
}

const Left = Type.Object({ left_minor: Type.Integer() })

/** The order is locked. */
async function refundableOf(tx: Tx, order: OrderRow): Promise<number> {
  const { tenant_id, id, amount_captured_minor, amount_refunded_minor } = order
  const { left_minor } = await tx.one(
    Left,
    sql`
      select greatest(0, ${amount_captured_minor - amount_refunded_minor}::bigint
        - coalesce(sum(amount_minor), 0))::bigint as left_minor
      from commerce.refunds
      where tenant_id = ${tenant_id} and order_id = ${id} and state = 'pending'`,
  )
  return left_minor
}
