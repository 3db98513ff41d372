/**
 * Writes an order with its lines, its history and the operation that requests its payment, in one
 * statement.
 */
import { newId, sql, type Principal, type RequestKey, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { OrderRow, orderColumns } from '../orders/order-row.ts'
import { breakdownOf, type Quote } from '../pricing/quote.ts'
import type { GuestOrigin } from './guest-limits.ts'
import type { Priced } from './price-checkout.ts'
import type { Checkout } from './schemas.ts'

export type Placing = {
  readonly principal: Pick<Principal, 'id' | 'tenant_id'>
  readonly given: Checkout
  readonly key: RequestKey
  readonly operation_id: string
  /** Of a guest: where the request came from. */
  readonly guest: GuestOrigin | null
  /** With the provider, if it was chosen before: for a page whose browser has made the method. */
  readonly account?: string
  /** The payment request on whose page the order is placed, and the version of its cart. */
  readonly request?: { readonly id: string; readonly cart_version: number }
}

type ToInsert = Priced & {
  readonly id: string
  readonly email: string | null
  /** At which it is paid. */
  readonly account: string | null
  readonly bought_by: string | null
}

/** The request itself calls payments. If it did not, the queue calls payments after this delay. */
const queue_after_seconds = 20
const json = (value: unknown) => (value === null ? null : sql.json(value))

export async function insertOrder(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { principal, given, key, operation_id, guest, request }: Placing,
  { id, email, account, bought_by, facts, quoted, shipping_address, billing_address }: ToInsert,
): Promise<OrderRow> {
  const { wire, totals, method } = quoted
  const { tenant_id, id: buyer_id } = principal
  const pays = wire.total_minor > 0
  const held_seconds = kernel.settings['commerce.reservation_ttl_seconds']
  return await tx.one(
    OrderRow,
    sql`
      with o as (
        insert into commerce.orders as o (
          tenant_id, id, buyer_id, cart_id, request_id, currency, email, bought_by,
          locale, guest,
          guest_network, subtotal_minor, discount_minor, shipping_minor, shipping_discount_minor,
          shipping_tax_minor, tax_minor, total_minor,
          prices_include_tax, shipping_method, needs_shipping, discounts, shipping_address,
          billing_address, calculation, pricing_fingerprint, capture_policy, payment_state,
          authorize_operation_id, payment_account, idempotency_key, request_fingerprint, reservation_expires_at,
          due_at)
        values (
          ${tenant_id}, ${id}, ${buyer_id}, ${given.cart_id}, ${request?.id ?? null},
          ${facts.currency}, ${email}, ${bought_by}, ${given.locale ?? facts.locale}, ${guest !== null}, ${guest?.network ?? null},
          ${wire.subtotal_minor}, ${wire.discount_minor},
          ${wire.shipping_minor}, ${wire.shipping_discount_minor},
          ${Number(totals.shipping.tax_minor)}, ${wire.tax_minor}, ${wire.total_minor},
          ${wire.prices_include_tax}, ${json(method && { id: method.id, name: method.name })}::jsonb,
          ${quoted.needs_shipping}, ${sql.json(discountsOf(quoted))}::jsonb, ${json(shipping_address)}::jsonb,
          ${json(billing_address)}::jsonb, ${sql.json(quoted.calculation)}::jsonb,
          ${quoted.fingerprint}, ${facts.rules.settings.capture_policy},
          ${pays ? 'authorizing' : 'none'}, ${pays ? operation_id : null}, ${pays ? account : null}, ${key.value},
          ${key.fingerprint}, kernel.now() + make_interval(secs => ${held_seconds}),
          kernel.now() + make_interval(secs => ${held_seconds}))
        returning ${orderColumns}
      ), lines as (
        insert into commerce.order_lines (
          tenant_id, order_id, currency, id, line_no, sku, product_id, product_description,
          quantity, accepted_unit_price_minor, subtotal_minor, discount_minor, tax_minor,
          total_minor, price_version_id, tax_breakdown, requires_shipping, track_inventory)
        select ${tenant_id}, ${id}, ${facts.currency}, l.*
        from jsonb_to_recordset(${sql.json(linesOf(quoted))}::jsonb) as l (
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
          tenant_id, id, order_id, type, amount_minor, payment_method, save_method, return_url, due_at)
        select ${tenant_id}, ${operation_id}, ${id}, 'authorize', ${wire.total_minor},
          ${given.payment?.payment_method ?? null}, ${given.payment?.save ?? false},
          ${given.payment?.return_url ?? null},
          kernel.now() + make_interval(secs => ${queue_after_seconds})
        where ${pays}
      )
      select ${orderColumns} from o`,
  )
}

function linesOf({ lines }: Quote) {
  return lines.map(({ facts: line, totals: line_totals }, at) => ({
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
}

function discountsOf({ totals }: Quote) {
  return totals.discounts.map(({ code, amount_minor }) => ({
    code,
    amount_minor: Number(amount_minor),
  }))
}
