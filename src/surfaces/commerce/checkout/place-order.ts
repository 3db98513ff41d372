/**
 * The first transaction of a checkout. It writes the order with everything that its buyer accepted,
 * the codes and stock that it reserves, and the operation for payments. Stock is reserved last, so
 * that its rows are locked only for the time of the commit.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { lockOpen } from '../carts/open-cart.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { reserve } from '../inventory/stock.ts'
import { announceOrder, type OrderRow } from '../orders/order-row.ts'
import { loadFacts } from '../pricing/load-facts.ts'
import { emailOf, requireFewGuests, requireProven } from './guest-limits.ts'
import { confirmOrder } from './confirm-order.ts'
import { holdCodes } from './hold-codes.ts'
import { insertOrder, type Placing } from './insert-order.ts'
import { priceCheckout } from './price-checkout.ts'
import type { Checkout } from './schemas.ts'

export async function placeOrder(tx: Tx, deps: Deps, placing: Placing): Promise<OrderRow> {
  const { principal, given, guest } = placing
  const email = emailOf(deps, given, guest)
  const { tenant_id, id: owner_id } = principal
  const cart = { tenant_id, owner_id, id: given.cart_id }
  // All statements are sent together. Each statement sees what was committed while an earlier
  // statement waited for its lock.
  const [, , , open, facts, account, [person]] = await Promise.all([
    lockBuyer(tx, owner_id),
    requireFewPending(tx, deps, cart),
    requireFewGuests(tx, deps, tenant_id, guest),
    lockOpen(tx, cart),
    loadFacts(tx, cart, given.discount_codes ?? null),
    accountOf(tx, deps, placing),
    deps.people.recipients(tx, [{ tenant_id, principal_id: owner_id }]),
  ])
  if (!open || !facts) throw problem('cart_not_found')
  if (placing.request && facts.version !== placing.request.cart_version) {
    throw problem('pricing_changed', { detail: 'The cart has changed. Look at it again.' })
  }
  const priced = priceCheckout(deps, facts, given, account)
  const { quoted } = priced
  const { total_minor } = quoted.wire
  requireProven(guest, total_minor)
  if (total_minor > 0) requirePayment(deps, given, account)
  const key = { tenant_id, id: newId() }
  const bought_by = person?.address ?? null
  const goods = facts.lines.filter(line => line.track_inventory)
  const [order, , missing] = await Promise.all([
    insertOrder(tx, deps, placing, { ...priced, id: key.id, email, account, bought_by }),
    holdCodes(tx, key, quoted, facts.rules),
    reserve(tx, key, goods, deps.kernel.settings['commerce.reservation_ttl_seconds']),
  ])
  announceOrder(tx, order, 'order.placed')
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

/** What the page of a request has chosen, or what the buyer chooses of what is offered. */
async function accountOf(tx: Tx, { payments }: Deps, { account, principal, given }: Placing) {
  const { tenant_id } = principal
  return account ?? (await payments.choose(tx, tenant_id, given.payment ?? {}, '/payment'))
}

function requirePayment({ payments }: Deps, { payment }: Checkout, account: string): void {
  if (!payment) {
    throw problem('validation_failed', {
      errors: [{ location: 'body', pointer: '/payment', constraint: 'required' }],
    })
  }
  // While the payment provider is unreachable, no order is written.
  if (!payments.accepting(account)) throw problem('payment_provider_unavailable')
}

/** A buyer places one order at a time, so that the count of pending orders is exact. */
function lockBuyer(tx: Tx, buyer_id: string): Promise<number> {
  return tx.run(
    sql`select pg_advisory_xact_lock(hashtextextended(${`commerce.pending:${buyer_id}`}, 0))`,
  )
}

const Pending = Type.Object({ n: Type.Integer() })

/** Many unpaid orders would keep their stock from other buyers. */
async function requireFewPending(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, owner_id }: { readonly tenant_id: string; readonly owner_id: string },
): Promise<void> {
  const most = kernel.settings['commerce.pending_orders']
  const { n } = await tx.one(
    Pending,
    sql`
      select count(*)::int as n from commerce.orders
      where tenant_id = ${tenant_id} and buyer_id = ${owner_id} and state = 'pending'`,
  )
  if (n < most) return
  throw problem('pending_order_limit', {
    detail: `${n} of your orders wait for their payment. Pay or cancel one first.`,
  })
}
