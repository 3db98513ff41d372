/** The row of an order, its lock, and the only function that changes its state. */
import { type Static, Type } from 'typebox'
import { Amount, Id, nullable, oneOf, sql, Time, Version } from '#dodeca/kernel'
import type { Reader, Sql, Tx } from '#dodeca/kernel'
import { Address, type Key } from '../schemas.ts'

export const order_states = [
  'pending',
  'confirmed',
  'fulfilled',
  'payment_failed',
  'expired',
  'cancelled',
] as const
export type OrderState = (typeof order_states)[number]

export const payment_states = [
  'none',
  'authorizing',
  'requires_action',
  'pending_provider',
  'authorized',
  'captured',
  'releasing',
  'released',
  'declined',
  'partially_refunded',
  'refunded',
] as const
export type PaymentState = (typeof payment_states)[number]

export const OrderRow = Type.Object({
  tenant_id: Id,
  id: Id,
  number: nullable(Type.Integer()),
  buyer_id: Id,
  cart_id: Id,
  request_id: nullable(Id),
  state: oneOf(...order_states),
  currency: Type.String(),
  email: nullable(Type.String()),
  locale: nullable(Type.String()),
  guest: Type.Boolean(),
  subtotal_minor: Amount,
  discount_minor: Amount,
  shipping_minor: Amount,
  shipping_discount_minor: Amount,
  shipping_tax_minor: Amount,
  tax_minor: Amount,
  total_minor: Amount,
  prices_include_tax: Type.Boolean(),
  shipping_method: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  needs_shipping: Type.Boolean(),
  discounts: Type.Array(Type.Object({ code: Type.String(), amount_minor: Amount })),
  shipping_address: nullable(Address),
  billing_address: nullable(Address),
  capture_policy: oneOf('on_first_shipment', 'on_confirm'),
  payment_state: oneOf(...payment_states),
  authorize_operation_id: nullable(Id),
  intent_id: nullable(Id),
  /** `<provider>`, or `<provider>:<id>`; null if nothing is paid. */
  payment_account: nullable(Type.String()),
  amount_authorized_minor: Amount,
  amount_captured_minor: Amount,
  amount_refunded_minor: Amount,
  authorization_expires_at: nullable(Time),
  payment_error: nullable(
    Type.Object({ code: Type.String(), decline_code: nullable(Type.String()) }),
  ),
  shipping_refunded: Type.Boolean(),
  buyer_erased: Type.Boolean(),
  reservation_expires_at: Time,
  version: Version,
  created_at: Time,
  confirmed_at: nullable(Time),
  shipped_at: nullable(Time),
})
export type OrderRow = Static<typeof OrderRow>

export const orderColumns = sql`o.tenant_id, o.id, o.number, o.buyer_id, o.cart_id, o.request_id, o.state,
  o.currency, o.email, o.locale, o.guest, o.subtotal_minor, o.discount_minor, o.shipping_minor,
  o.shipping_discount_minor, o.shipping_tax_minor, o.tax_minor, o.total_minor,
  o.prices_include_tax, o.shipping_method, o.needs_shipping, o.discounts, o.shipping_address,
  o.billing_address, o.capture_policy, o.payment_state, o.authorize_operation_id, o.intent_id,
  o.payment_account, o.amount_authorized_minor, o.amount_captured_minor, o.amount_refunded_minor,
  o.authorization_expires_at, o.payment_error, o.shipping_refunded, o.buyer_erased,
  o.reservation_expires_at, o.version, o.created_at, o.confirmed_at, o.shipped_at`

export function findOrder(reader: Reader, { tenant_id, id }: Key): Promise<OrderRow | undefined> {
  return reader.maybe(
    OrderRow,
    sql`
      select ${orderColumns} from commerce.orders o
      where o.tenant_id = ${tenant_id} and o.id = ${id}`,
  )
}

/** Every decision about an order is made under the lock on its row. */
export function lockOrder(tx: Tx, { tenant_id, id }: Key): Promise<OrderRow | undefined> {
  return tx.maybe(
    OrderRow,
    sql`
      select ${orderColumns} from commerce.orders o
      where o.tenant_id = ${tenant_id} and o.id = ${id} for update`,
  )
}

export type Move = {
  readonly to: OrderState
  readonly reason_code: string | null
  /** Other columns to set, and a further condition for the change. */
  readonly set?: Sql
  readonly when?: Sql
}

/**
 * Changes the order with one conditional statement. Returns undefined if the order is no longer in
 * that state.
 */
export async function moveOrder(
  tx: Tx,
  { tenant_id, id, state }: Pick<OrderRow, 'tenant_id' | 'id' | 'state'>,
  { to, reason_code, set, when }: Move,
): Promise<OrderRow | undefined> {
  const also = set ? sql`, ${set}` : sql.empty
  const only = when ? sql`and ${when}` : sql.empty
  // Only a pending order is in the queue of orders that expire, and counts for its network.
  return await tx.maybe(
    OrderRow,
    sql`
      with o as (
        update commerce.orders o
        set state = ${to}, version = o.version + 1, due_at = null, lease_token = null,
          leased_until = null, guest_network = null ${also}
        where o.tenant_id = ${tenant_id} and o.id = ${id} and o.state = ${state}
          ${only}
        returning ${orderColumns}
      ), history as (
        insert into commerce.order_state_history (
          tenant_id, order_id, from_state, to_state, reason_code)
        select o.tenant_id, o.id, ${state}, ${to}, ${reason_code} from o
      )
      select ${orderColumns} from o`,
  )
}

/**
 * Copies the state of the payment. The version increases, because replies show it with the order.
 */
export function setPayment(
  tx: Tx,
  { tenant_id, id }: Key,
  payment_state: PaymentState,
  more?: Sql,
): Promise<OrderRow> {
  const also = more ? sql`, ${more}` : sql.empty
  return tx.one(
    OrderRow,
    sql`
      update commerce.orders o
      set payment_state = ${payment_state}, version = o.version + 1
        ${also}
      where o.tenant_id = ${tenant_id} and o.id = ${id}
      returning ${orderColumns}`,
  )
}

export function announceOrder(
  tx: Tx,
  order: OrderRow,
  type: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const { tenant_id, id, number, buyer_id, total_minor, currency, version } = order
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'order',
    aggregate_id: id,
    aggregate_version: version,
    data: { order_id: id, number, buyer_id, total_minor, currency, ...more },
  })
}
