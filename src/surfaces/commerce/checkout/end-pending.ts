/**
 * Ends an order that waits for its payment. The order becomes expired, declined or cancelled. One
 * transaction releases the stock, the codes, the cart and the payment. This function and the
 * confirmation lock the order's row, so only the first of them takes effect.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
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
  /** The caller releases the payment itself before the queue does. */
  readonly release_after_seconds?: number
}

/** Returns undefined, and changes nothing, if the order is no longer pending. */
export async function endPending(
  tx: Tx,
  { payments }: Pick<Deps, 'payments'>,
  order: OrderRow,
  { to, reason_code, release_after_seconds }: Ending,
): Promise<OrderRow | undefined> {
  if (order.state !== 'pending') return undefined
  const ended = await moveOrder(tx, order, { to, reason_code })
  if (!ended) return undefined
  await openAgain(tx, order)
  await releaseCodes(tx, order)
  await giveBack(tx, order, to === 'expired' ? 'expired' : 'released')
  if (order.request_id !== null) {
    const request = { tenant_id: order.tenant_id, id: order.request_id }
    await payments.requests.follow(tx, request, 'open', null)
  }
  announceOrder(tx, ended, events[to], { reason_code })
  if (to === 'payment_failed') return ended
  const reason = to === 'cancelled' ? 'order_cancelled' : 'order_expired'
  await requestVoid(tx, ended, reason, release_after_seconds)
  return ended
}

/**
 * The order changed the cart's version twice and nothing else of it: its payment request is still for
 * what its owner saw.
 */
function openAgain(tx: Tx, { tenant_id, id, buyer_id, cart_id }: OrderRow): Promise<number> {
  return tx.run(sql`
    with opened as (
      update commerce.carts
      set state = 'open', order_id = null, version = version + 1, updated_at = kernel.now()
      where tenant_id = ${tenant_id} and owner_id = ${buyer_id} and id = ${cart_id}
        and order_id = ${id}
      returning version)
    update commerce.cart_requests r set cart_version = opened.version
    from opened
    where r.tenant_id = ${tenant_id} and r.owner_id = ${buyer_id} and r.cart_id = ${cart_id}
      and r.cart_version = opened.version - 2`)
}
