/** Applies the end of a refund to its return. */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import type { OrderRow } from '../orders/order-row.ts'
import type { Key } from '../schemas.ts'
import { announceReturn, moveReturn } from './return-row.ts'

export async function endRefund(tx: Tx, order: OrderRow, key: Key, succeeded: boolean) {
  const to = succeeded ? 'refunded' : 'refund_failed'
  const ended = await moveReturn(tx, key, ['refund_pending'], to)
  await announceReturn(tx, succeeded ? 'return.refunded' : 'return.refund_failed', ended, order)
}

/** The bank returned a refund that had succeeded. */
export async function bounceRefund(tx: Tx, order: OrderRow, operation_id: string): Promise<void> {
  const { tenant_id } = order
  const bounced = await tx.maybe(
    Type.Object({ return_id: nullable(Id) }),
    sql`
      update commerce.refunds set state = 'failed'
      where tenant_id = ${tenant_id} and id = ${operation_id} and state = 'succeeded'
      returning return_id`,
  )
  if (!bounced?.return_id) return
  const key = { tenant_id, id: bounced.return_id }
  const failed = await moveReturn(tx, key, ['refunded'], 'refund_failed')
  await announceReturn(tx, 'return.refund_failed', failed, order)
}
