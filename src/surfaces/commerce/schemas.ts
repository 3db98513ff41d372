/** Shapes that more than one folder of commerce uses: goods, money, addresses. */
import { type Static, Type } from 'typebox'
import { Amount, closed, count, Id, nullable, text, Time } from '#dodeca/kernel'

export const Sku = Type.String({
  title: 'Sku',
  description: 'The name that the shop gave to one unit of stock.',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  minLength: 1,
  maxLength: 64,
})
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 3 })
/** Sums of money are exact far beyond this limit. */
export const Price = count(0, 99_999_999)
export const Word = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$', minLength: 1, maxLength: 64 })
export const Code = Type.String({ pattern: '^[A-Z0-9][A-Z0-9_-]*$', minLength: 1, maxLength: 40 })
export const Country = Type.String({ pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2 })
export const Quantity = count(1, 999)
export const Short = Type.String({ maxLength: 200 })
export const Locale = Type.String({
  minLength: 2,
  maxLength: 35,
  pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
})

const given = {
  name: text(200),
  line1: text(200),
  line2: Type.Optional(text(200)),
  city: text(100),
  region: Type.Optional(text(100)),
  postal_code: text(20),
  country: Country,
}
export const GivenAddress = closed(given, { title: 'GivenAddress' })
export const Address = Type.Object(given, { title: 'Address' })
export type Address = Static<typeof Address>

export const Totals = Type.Object(
  {
    subtotal_minor: Amount,
    discount_minor: Amount,
    shipping_minor: Amount,
    shipping_discount_minor: Amount,
    tax_minor: Amount,
    total_minor: Amount,
    prices_include_tax: Type.Boolean(),
  },
  { title: 'Totals' },
)
export type Totals = Static<typeof Totals>

export const Shipment = Type.Object(
  {
    id: Id,
    order_id: Id,
    state: Short,
    lines: Type.Array(Type.Object({ order_line_id: Id, quantity: Quantity })),
    carrier: nullable(Short),
    tracking_number: nullable(Short),
    created_at: Time,
    shipped_at: nullable(Time),
    delivered_at: nullable(Time),
  },
  { title: 'Shipment' },
)
export type Shipment = Static<typeof Shipment>

/** A row of a tenant. */
export type Key = { readonly tenant_id: string; readonly id: string }
