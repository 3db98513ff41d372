/** Carts in requests and replies. */
import { Type, type Static } from 'typebox'
import { Amount, closed, count, Id, nullable, oneOf, Time, Version } from '#dodeca/kernel'
import {
  Address,
  Code,
  Currency,
  GivenAddress,
  Locale,
  Quantity,
  Short,
  Sku,
  Totals,
  Word,
} from '../schemas.ts'

export const OpenCart = closed({ currency: Currency, id: Type.Optional(Id) }, { title: 'OpenCart' })
export const SetItem = closed({ quantity: count(0, 999) }, { title: 'SetCartItem' })
export const Codes = Type.Array(Code, { maxItems: 5, uniqueItems: true })
export const ChangeCart = closed(
  {
    currency: Type.Optional(Currency),
    shipping_address: Type.Optional(GivenAddress),
    shipping_method_id: Type.Optional(Word),
    discount_codes: Type.Optional(Codes),
    locale: Type.Optional(Locale),
  },
  { title: 'ChangeCart' },
)
export type ChangeCart = Static<typeof ChangeCart>

export const cart_states = ['open', 'locked', 'ordered'] as const

export const CartSummary = Type.Object(
  {
    id: Id,
    state: oneOf(...cart_states),
    currency: Currency,
    order_id: nullable(Id),
    version: Version,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'CartSummary' },
)

const CartItem = Type.Object(
  {
    sku: Sku,
    product_id: Id,
    title: Short,
    quantity: Quantity,
    unit_price_minor: nullable(Amount),
    price_version_id: nullable(Id),
    subtotal_minor: Amount,
    discount_minor: Amount,
    tax_minor: Amount,
    total_minor: Amount,
    availability: oneOf('ok', 'insufficient', 'unavailable'),
  },
  { title: 'CartItem' },
)

export const Cart = Type.Object(
  {
    id: Id,
    state: oneOf(...cart_states),
    currency: Currency,
    items: Type.Array(CartItem),
    discounts: Type.Array(
      Type.Object({
        code: Short,
        state: oneOf('applied', 'not_applicable'),
        reason: nullable(Short),
        amount_minor: Amount,
      }),
    ),
    shipping_address: nullable(Address),
    shipping_method_id: nullable(Short),
    shipping_methods: Type.Array(Type.Object({ id: Short, name: Short, amount_minor: Amount })),
    totals: Totals,
    pricing_fingerprint: Short,
    locale: nullable(Locale),
    order_id: nullable(Id),
    version: Version,
    expires_at: Time,
  },
  { title: 'Cart' },
)
export type Cart = Static<typeof Cart>
