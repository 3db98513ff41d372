/**
 * Confirms an order whose money is held: one statement decides, by the database's clock, whether it is still
 * in time. The number comes last, because its counter is what confirmations of one shop share.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deps } from '../deps.ts'
import { linesOf } from '../orders/line-row.ts'
import { announceOrder, moveOrder, type OrderRow } from '../orders/order-row.ts'
import { requestOperation } from '../payments/operation-row.ts'
import { fulfilUnshipped } from '../shipments/fulfil-unshipped.ts'

const OrderNumber = Type.Object({ number: Type.Integer() })

/** False where the order is too late, or not pending any more; then nothing has changed. */
export async function confirmOrder(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  order: OrderRow,
): Promise<boolean> {
  const { tenant_id, id, buyer_id, cart_id } = order
  const confirmed = await moveOrder(tx, order, {
    to: 'confirmed',
    reason_code: null,
    when: sql`o.reservation_expires_at > kernel.now()`,
    set: sql`confirmed_at = kernel.now()`,
  })
  if (!confirmed) return false
  await tx.run(sql`
    update commerce.inventory_reservations set state = 'committed'
    where tenant_id = ${tenant_id} and order_id = ${id} and state = 'active'`)
  await tx.run(sql`
    update commerce.discount_redemptions set state = 'used'
    where tenant_id = ${tenant_id} and order_id = ${id} and state = 'held'`)
  await tx.run(sql`
    update commerce.carts
    set state = 'ordered', version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and owner_id = ${buyer_id} and id = ${cart_id}
      and order_id = ${id}`)
  const captures = confirmed.capture_policy === 'on_confirm' || !confirmed.needs_shipping
  if (captures && confirmed.total_minor > 0) {
    await requestOperation(tx, {
      tenant_id,
      id: newId(),
      order_id: id,
      type: 'capture',
      amount_minor: confirmed.total_minor,
    })
  }
  const lines = await linesOf(tx, order)
  const numbered = await numberOrder(tx, confirmed)
  announceOrder(tx, numbered, 'OrderConfirmed', {
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
  })
  if (confirmed.total_minor === 0) await fulfilUnshipped(tx, numbered)
  await kernel.fault('commerce.in_confirm')
  return true
}

async function numberOrder(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const { number } = await tx.one(
    OrderNumber,
    sql`
      with next as (
        insert into commerce.order_counters as c (tenant_id, last) values (${order.tenant_id}, 1)
        on conflict (tenant_id) do update set last = c.last + 1 returning last)
      update commerce.orders o set number = next.last from next
      where o.tenant_id = ${order.tenant_id} and o.id = ${order.id}
      returning o.number`,
  )
  return { ...order, number }
}
