/**
 * Confirms an order whose payment is authorized. One statement decides by the database's clock
 * whether the order is still in time. The order number is taken last, because all confirmations of
 * a shop share its counter.
 */
import { Type } from 'typebox'
import { newId, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { showOrder, type Order } from '../orders/order-view.ts'
import { announceOrder, moveOrder, type OrderRow } from '../orders/order-row.ts'
import { requestOperation } from '../payments/operations.ts'
import { fulfilUnshipped } from '../shipments/ship.ts'

const OrderNumber = Type.Object({ number: Type.Integer() })

const Goods = Type.Array(Type.Object({ sku: Type.String(), quantity: Type.Integer() }))
const Taken = Type.Object({ lines: Goods })

/**
 * Returns the confirmed order. Returns undefined, and changes nothing, if it is too late, if the
 * order is no longer pending, or if its goods have no address because its buyer was erased. `paid` contains the columns to set with the confirmation.
 */
export async function confirmOrder(
  tx: Tx,
  { kernel, payments }: Pick<Deps, 'kernel' | 'payments'>,
  order: OrderRow,
  paid?: Sql,
): Promise<Order | undefined> {
  const { tenant_id, id } = order
  const now = sql`confirmed_at = kernel.now()`
  const confirmed = await moveOrder(tx, order, {
    to: 'confirmed',
    reason_code: null,
    when: sql`o.reservation_expires_at > kernel.now()
      and not (o.buyer_erased and o.needs_shipping)`,
    set: paid ? sql`${paid}, ${now}` : now,
  })
  if (!confirmed) return undefined
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
  const { request_id, intent_id } = confirmed
  if (request_id !== null) {
    await payments.requests.follow(tx, { tenant_id, id: request_id }, 'paid', intent_id)
  }
  // Read in the same round trip as the number: each round trip with the counter locked would delay
  // all confirmations of the shop.
  const [{ lines }, { number }, shown] = await Promise.all([
    takeHeld(tx, confirmed),
    takeNumber(tx, confirmed),
    showOrder(tx, confirmed),
  ])
  const numbered = { ...confirmed, number }
  announceOrder(tx, numbered, 'OrderConfirmed', { lines })
  if (confirmed.total_minor === 0) await fulfilUnshipped(tx, numbered)
  await kernel.fault('commerce.in_confirm')
  return shown
}

/**
 * The stock, codes and cart that were reserved for the order now belong to it. Returns the stock of
 * its lines.
 */
function takeHeld(tx: Tx, { tenant_id, id, buyer_id, cart_id, request_id }: OrderRow) {
  return tx.one(
    Taken,
    sql`
      with goods as (
        update commerce.inventory_reservations set state = 'committed'
        where tenant_id = ${tenant_id} and order_id = ${id} and state = 'active'
      ), codes as (
        update commerce.discount_redemptions set state = 'used'
        where tenant_id = ${tenant_id} and order_id = ${id} and state = 'held'
      ), asked as (
        update commerce.cart_requests set email = null, billing_address = null
        where tenant_id = ${tenant_id} and request_id = ${request_id}
      ), cart as (
        update commerce.carts
        set state = 'ordered', version = version + 1, updated_at = kernel.now()
        where tenant_id = ${tenant_id} and owner_id = ${buyer_id} and id = ${cart_id}
          and order_id = ${id}
      )
      select json_agg(
        json_build_object('sku', l.sku, 'quantity', l.quantity) order by l.line_no) as lines
      from commerce.order_lines l
      where l.tenant_id = ${tenant_id} and l.order_id = ${id}`,
  )
}

function takeNumber(tx: Tx, { tenant_id, id }: OrderRow) {
  return tx.one(
    OrderNumber,
    sql`
      with next as (
        insert into commerce.order_counters as c (tenant_id, last) values (${tenant_id}, 1)
        on conflict (tenant_id) do update set last = c.last + 1 returning last)
      update commerce.orders o set number = next.last from next
      where o.tenant_id = ${tenant_id} and o.id = ${id}
      returning o.number`,
  )
}
