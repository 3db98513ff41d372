/** An order as its buyer and its shop see it, read with one statement. */
import { type Static, Type } from 'typebox'
import { Amount, Id, nullable, oneOf, sql, Time, Version, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Return } from '../returns/schemas.ts'
import { Address, Currency, Shipment, Short, Totals, type Key } from '../schemas.ts'
import { OrderLine } from './line-row.ts'
import { order_states, OrderRow, orderColumns, payment_states } from './order-row.ts'

const NextAction = Type.Object({ type: Type.String(), url: nullable(Type.String()) })
export const NextStep = Type.Object(
  { ...NextAction.properties, client_secret: nullable(Type.String()) },
  { title: 'OrderNextStep' },
)

export const OrderSummary = Type.Object(
  {
    id: Id,
    number: nullable(Type.Integer()),
    state: oneOf(...order_states),
    version: Version,
    currency: Currency,
    buyer_id: Id,
    total_minor: Amount,
    payment_state: oneOf(...payment_states),
    buyer_erased: Type.Boolean(),
    created_at: Time,
    confirmed_at: nullable(Time),
  },
  { title: 'OrderSummary' },
)
export type OrderSummary = Static<typeof OrderSummary>

export const Order = Type.Object(
  {
    id: Id,
    status: Type.Optional(oneOf('pending')),
    number: nullable(Type.Integer()),
    state: oneOf(...order_states),
    version: Version,
    currency: Currency,
    buyer_id: Id,
    cart_id: Id,
    buyer_erased: Type.Boolean(),
    email: nullable(Type.String()),
    locale: nullable(Type.String()),
    guest: Type.Boolean(),
    lines: Type.Array(OrderLine),
    shipping: nullable(
      Type.Object({
        method_id: Short,
        name: Short,
        amount_minor: Amount,
        discount_minor: Amount,
        tax_minor: Amount,
      }),
    ),
    discounts: Type.Array(Type.Object({ code: Short, amount_minor: Amount })),
    totals: Totals,
    shipping_address: nullable(Address),
    billing_address: nullable(Address),
    payment: Type.Object({
      state: oneOf(...payment_states),
      provider: nullable(Short),
      operation_id: nullable(Id),
      intent_id: nullable(Id),
      amount_authorized_minor: Amount,
      amount_captured_minor: Amount,
      amount_refunded_minor: Amount,
      authorization_expires_at: nullable(Time),
      last_error: nullable(Type.Object({ code: Short, decline_code: nullable(Short) })),
      next_action: nullable(NextAction),
    }),
    reservation: Type.Object({
      state: oneOf('active', 'committed', 'fulfilled', 'expired', 'released'),
      expires_at: Time,
    }),
    shipments: Type.Array(Shipment),
    returns: Type.Array(Return),
    history: Type.Array(
      Type.Object({
        from: nullable(oneOf(...order_states)),
        to: oneOf(...order_states),
        reason_code: nullable(Short),
        at: Time,
      }),
    ),
    calculation: Type.Optional(Type.Unknown()),
    created_at: Time,
    confirmed_at: nullable(Time),
  },
  { title: 'Order' },
)
export type Order = Static<typeof Order>

const Row = Type.Object({
  ...OrderRow.properties,
  lines: Type.Unknown(),
  shipments: Type.Unknown(),
  returns: Type.Unknown(),
  history: Type.Unknown(),
  calculation: Type.Unknown(),
})

export async function showOrder(
  reader: Reader,
  { tenant_id, id }: Key,
  { calculation = false, next_action = null }: Partial<Shown> = {},
): Promise<Order> {
  const row = await reader.maybe(
    Row,
    sql`
      select ${orderColumns},
        case when ${calculation} then o.calculation end as calculation,
        (select json_agg(json_build_object(
          'id', l.id, 'line_no', l.line_no, 'sku', l.sku, 'product_id', l.product_id,
          'product_description', l.product_description, 'quantity', l.quantity,
          'accepted_unit_price_minor', l.accepted_unit_price_minor,
          'subtotal_minor', l.subtotal_minor, 'discount_minor', l.discount_minor,
          'tax_minor', l.tax_minor, 'total_minor', l.total_minor, 'currency', l.currency,
          'price_version_id', l.price_version_id, 'tax_breakdown', l.tax_breakdown,
          'shipped_quantity', l.shipped_quantity, 'returned_quantity', l.returned_quantity)
          order by l.line_no)
        from commerce.order_lines l
        where l.tenant_id = o.tenant_id and l.order_id = o.id) as lines,
        coalesce((select json_agg(json_build_object(
          'id', s.id, 'order_id', s.order_id, 'state', s.state, 'lines', s.lines,
          'carrier', s.carrier, 'tracking_number', s.tracking_number,
          'created_at', commerce.moment(s.created_at), 'shipped_at', commerce.moment(s.shipped_at),
          'delivered_at', commerce.moment(s.delivered_at)) order by s.id)
        from commerce.shipments s
        where s.tenant_id = o.tenant_id and s.order_id = o.id), '[]') as shipments,
        coalesce((select json_agg(commerce.return_view(r.tenant_id, r.id) order by r.id)
        from commerce.returns r
        where r.tenant_id = o.tenant_id and r.order_id = o.id), '[]') as returns,
        (select json_agg(json_build_object(
          'from', h.from_state, 'to', h.to_state, 'reason_code', h.reason_code,
          'at', commerce.moment(h.at)) order by h.id)
        from commerce.order_state_history h
        where h.tenant_id = o.tenant_id and h.order_id = o.id) as history
      from commerce.orders o
      where o.tenant_id = ${tenant_id} and o.id = ${id}`,
  )
  if (!row) throw problem('order_not_found')
  return viewOf(row, next_action)
}

type Shown = {
  readonly calculation: boolean
  readonly next_action: Order['payment']['next_action']
}

function viewOf(row: Static<typeof Row>, next_action: Shown['next_action']): Order {
  const { id, number, state, version, currency, buyer_id, cart_id, email, locale, guest } = row
  const { shipping_address, billing_address, created_at, confirmed_at, calculation } = row
  const { subtotal_minor, discount_minor, shipping_minor, shipping_discount_minor } = row
  const { tax_minor, total_minor, prices_include_tax, shipping_method, discounts } = row
  return {
    id,
    number,
    state,
    version,
    currency,
    buyer_id,
    cart_id,
    buyer_erased: row.buyer_erased,
    email,
    locale,
    guest,
    lines: row.lines as Order['lines'],
    shipping: shipping_method && {
      method_id: shipping_method.id,
      name: shipping_method.name,
      amount_minor: shipping_minor,
      discount_minor: shipping_discount_minor,
      tax_minor: row.shipping_tax_minor,
    },
    discounts,
    totals: {
      subtotal_minor,
      discount_minor,
      shipping_minor,
      shipping_discount_minor,
      tax_minor,
      total_minor,
      prices_include_tax,
    },
    shipping_address,
    billing_address,
    payment: {
      state: row.payment_state,
      provider: row.payment_account?.split(':')[0] ?? null,
      operation_id: row.authorize_operation_id,
      intent_id: row.intent_id,
      amount_authorized_minor: row.amount_authorized_minor,
      amount_captured_minor: row.amount_captured_minor,
      amount_refunded_minor: row.amount_refunded_minor,
      authorization_expires_at: row.authorization_expires_at,
      last_error: row.payment_error,
      // The secret is only for the browser of the buyer.
      next_action: next_action && { type: next_action.type, url: next_action.url },
    },
    reservation: { state: reservationOf(state), expires_at: row.reservation_expires_at },
    shipments: row.shipments as Order['shipments'],
    returns: row.returns as Order['returns'],
    history: row.history as Order['history'],
    ...(calculation === null ? {} : { calculation }),
    created_at,
    confirmed_at,
  }
}

/** The state of the goods follows that of their order. */
function reservationOf(state: Order['state']): Order['reservation']['state'] {
  if (state === 'pending') return 'active'
  if (state === 'confirmed') return 'committed'
  if (state === 'fulfilled' || state === 'expired') return state
  return 'released'
}
