/**
 * The first commit of a checkout: the order with everything that its buyer accepted, the codes and goods that
 * it holds, and what payments is to be asked. The goods come last, so that their rows are locked for no
 * longer than the commit takes.
 */
import { Type } from 'typebox'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { RequestKey } from '../../../kernel/http/route.ts'
import { newId } from '../../../kernel/ids.ts'
import { lockOpen } from '../carts/open-cart.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { reserve } from '../inventory/stock.ts'
import { announceOrder, OrderRow, orderColumns } from '../orders/order-row.ts'
import { breakdownOf } from '../pricing/quote.ts'
import { confirmOrder } from './confirm-order.ts'
import { holdCodes } from './hold-codes.ts'
import { priceCheckout, type Priced } from './price-checkout.ts'
import type { Checkout } from './schemas.ts'

export type Placing = {
  readonly principal: Principal
  readonly given: Checkout
  readonly key: RequestKey
  readonly operation_id: string
}

/** The safety net takes over so much later than the request that asks by itself. */
const queue_after_seconds = 20

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

async function insertOrder(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { principal, given, key, operation_id }: Placing,
  { facts, quoted, shipping_address, billing_address }: Priced,
): Promise<OrderRow> {
  const { wire, totals, method } = quoted
  const { tenant_id, id: buyer_id } = principal
  const id = newId()
  const pays = wire.total_minor > 0
  const json = (value: unknown) => (value === null ? null : sql.json(value))
  const lines = quoted.lines.map(({ facts: line, totals: line_totals }, at) => ({
    id: newId(),
    line_no: at + 1,
    sku: line.sku,
    product_id: line.product_id,
    product_description: line.title,
    quantity: line.quantity,
    accepted_unit_price_minor: line.amount_minor,
    subtotal_minor: Number(line_totals?.subtotal_minor),
    discount_minor: Number(line_totals?.discount_minor),
    tax_minor: Number(line_totals?.tax_minor),
    total_minor: Number(line_totals?.total_minor),
    price_version_id: line.price_version_id,
    tax_breakdown: breakdownOf(line_totals?.tax ?? []),
    requires_shipping: line.requires_shipping,
    track_inventory: line.track_inventory,
  }))
  const discounts = totals.discounts.map(({ code, amount_minor }) => ({
    code,
    amount_minor: Number(amount_minor),
  }))
  const held_seconds = kernel.settings['commerce.reservation_ttl_seconds']
  return await tx.one(
    OrderRow,
    sql`
      with o as (
        insert into commerce.orders as o (
          tenant_id, id, buyer_id, cart_id, currency, email, subtotal_minor, discount_minor,
          shipping_minor, shipping_discount_minor, shipping_tax_minor, tax_minor, total_minor,
          prices_include_tax, shipping_method, needs_shipping, discounts, shipping_address,
          billing_address, calculation, pricing_fingerprint, capture_policy, payment_state,
          authorize_operation_id, idempotency_key, request_fingerprint, reservation_expires_at,
          due_at)
        values (
          ${tenant_id}, ${id}, ${buyer_id}, ${given.cart_id}, ${facts.currency},
          ${given.email ?? null}, ${wire.subtotal_minor}, ${wire.discount_minor},
          ${wire.shipping_minor}, ${wire.shipping_discount_minor},
          ${Number(totals.shipping.tax_minor)}, ${wire.tax_minor}, ${wire.total_minor},
          ${wire.prices_include_tax}, ${json(method && { id: method.id, name: method.name })}::jsonb,
          ${quoted.needs_shipping}, ${sql.json(discounts)}::jsonb, ${json(shipping_address)}::jsonb,
          ${json(billing_address)}::jsonb, ${sql.json(quoted.calculation)}::jsonb,
          ${quoted.fingerprint}, ${facts.rules.settings.capture_policy},
          ${pays ? 'authorizing' : 'none'}, ${pays ? operation_id : null}, ${key.value},
          ${key.fingerprint}, kernel.now() + make_interval(secs => ${held_seconds}),
          kernel.now() + make_interval(secs => ${held_seconds}))
        returning ${orderColumns}
      ), lines as (
        insert into commerce.order_lines (
          tenant_id, order_id, currency, id, line_no, sku, product_id, product_description,
          quantity, accepted_unit_price_minor, subtotal_minor, discount_minor, tax_minor,
          total_minor, price_version_id, tax_breakdown, requires_shipping, track_inventory)
        select ${tenant_id}, ${id}, ${facts.currency}, l.*
        from jsonb_to_recordset(${sql.json(lines)}::jsonb) as l (
          id uuid, line_no int, sku text, product_id uuid, product_description text, quantity int,
          accepted_unit_price_minor bigint, subtotal_minor bigint, discount_minor bigint,
          tax_minor bigint, total_minor bigint, price_version_id uuid, tax_breakdown jsonb,
          requires_shipping boolean, track_inventory boolean)
      ), history as (
        insert into commerce.order_state_history (tenant_id, order_id, to_state)
        values (${tenant_id}, ${id}, 'pending')
      ), cart as (
        update commerce.carts
        set state = 'locked', order_id = ${id}, version = version + 1, updated_at = kernel.now()
        where tenant_id = ${tenant_id} and owner_id = ${buyer_id} and id = ${given.cart_id}
      ), asked as (
        insert into commerce.payment_operations (
          tenant_id, id, order_id, type, amount_minor, payment_method, return_url, due_at)
        select ${tenant_id}, ${operation_id}, ${id}, 'authorize', ${wire.total_minor},
          ${given.payment?.payment_method ?? null}, ${given.payment?.return_url ?? null},
          kernel.now() + make_interval(secs => ${queue_after_seconds})
        where ${pays}
      )
      select ${orderColumns} from o`,
  )
}
