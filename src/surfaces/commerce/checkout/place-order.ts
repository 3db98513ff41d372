/**
 * The first commit of a checkout: the order with everything that its buyer accepted, the codes and goods that
 * it holds, and what payments is to be asked. The goods come last, so that their rows are locked for no
 * longer than the commit takes.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { lockOpen } from '../carts/open-cart.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { reserve } from '../inventory/stock.ts'
import { announceOrder, type OrderRow } from '../orders/order-row.ts'
import { confirmOrder } from './confirm-order.ts'
import { holdCodes } from './hold-codes.ts'
import { insertOrder, type Placing } from './insert-order.ts'
import { priceCheckout } from './price-checkout.ts'
import type { Checkout } from './schemas.ts'

export async function placeOrder(tx: Tx, deps: Deps, placing: Placing): Promise<OrderRow> {
  const { principal, given } = placing
  const { tenant_id, id: owner_id } = principal
  const cart = { tenant_id, owner_id, id: given.cart_id }
  await requireFewPending(tx, deps, cart)
  if (!(await lockOpen(tx, cart))) throw problem('cart_not_found')
  const priced = await priceCheckout(tx, deps, cart, given)
  const { facts, quoted } = priced
  const { total_minor } = quoted.wire
  if (total_minor > 0) requirePayment(deps, given)
  const order = await insertOrder(tx, deps, placing, priced)
  announceOrder(tx, order, 'order.placed')
  await holdCodes(tx, order, quoted, facts.rules)
  const goods = facts.lines.filter(line => line.track_inventory)
  const missing = await reserve(tx, order, goods, order.reservation_expires_at)
  if (missing.length > 0) {
    throw problem('insufficient_inventory', {
      detail: `Not in stock: ${missing.map(one => `${one.sku} (${one.available} left)`).join(', ')}.`,
      more: { items: missing },
    })
  }
  if (total_minor > 0) return order
  if (!(await confirmOrder(tx, deps, order))) throw new Error('a new order cannot be late')
  return order
}

function requirePayment({ payments }: Deps, { payment }: Checkout): void {
  if (!payment) {
    throw problem('validation_failed', {
      errors: [{ location: 'body', pointer: '/payment', constraint: 'required' }],
    })
  }
  // Nothing is written while nothing can be paid.
  if (!payments.accepting()) throw problem('payment_provider_unavailable')
}

const Pending = Type.Object({ n: Type.Integer() })

/** Who holds the goods of many orders without paying keeps others from buying them. */
async function requireFewPending(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, owner_id }: { readonly tenant_id: string; readonly owner_id: string },
): Promise<void> {
  const most = kernel.settings['commerce.pending_orders']
  // Both travel together; the count sees what the lock waited for.
  const [, { n }] = await Promise.all([
    tx.run(
      sql`select pg_advisory_xact_lock(hashtextextended(${`commerce.pending:${owner_id}`}, 0))`,
    ),
    tx.one(
      Pending,
      sql`
        select count(*)::int as n from commerce.orders
        where tenant_id = ${tenant_id} and buyer_id = ${owner_id} and state = 'pending'`,
    ),
  ])
  if (n < most) return
  throw problem('pending_order_limit', {
    detail: `${n} of your orders wait for their payment. Pay or cancel one first.`,
  })
}
