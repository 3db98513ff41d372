/**
 * Ends an order that waits for its payment. The order becomes expired, declined or cancelled. One
 * transaction releases the stock, the codes, the cart and the payment. This function and the
 * confirmation lock the order's row, so only the first of them takes effect.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { giveBack } from '../inventory/stock.ts'
import { announceOrder, moveOrder, type OrderRow } from '../orders/order-row.ts'
import { requestVoid } from '../payments/operations.ts'
import { releaseCodes } from './hold-codes.ts'

const events = {
  expired: 'order.expired',
  payment_failed: 'order.payment_failed',
  cancelled: 'order.cancelled',
} as const

export type Ending = {
  readonly to: keyof typeof events
  readonly reason_code: string
}

/** Returns undefined, and changes nothing, if the order is no longer pending. */
export async function endPending(
  tx: Tx,
  order: OrderRow,
  { to, reason_code }: Ending,
): Promise<OrderRow | undefined> {
  if (order.state !== 'pending') return undefined
  const ended = await moveOrder(tx, order, { to, reason_code })
  if (!ended) return undefined
  const { tenant_id, id, buyer_id, cart_id } = order
  await tx.run(sql`
    update commerce.carts
    set state = 'open', order_id = null, version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and owner_id = ${buyer_id} and id = ${cart_id}
      and order_id = ${id}`)
  await releaseCodes(tx, order)
  await giveBack(tx, order, to === 'expired' ? 'expired' : 'released')
  announceOrder(tx, ended, events[to], { reason_code })
  if (to === 'payment_failed') return ended
  await requestVoid(tx, ended, to === 'cancelled' ? 'order_cancelled' : 'order_expired')
  return ended
}
