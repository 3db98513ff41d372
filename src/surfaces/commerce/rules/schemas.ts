/** The rules of a shop about money: tax rules, shipping methods, discounts, and settings. */
import { type Static, Type } from 'typebox'
import { closed, count, nullable, oneOf, text, Time, Version } from '#dodeca/kernel'
import { Code, Country, Currency, Price, Sku, Word } from '../schemas.ts'

const rate_ppm = count(0, 1_000_000)
const state = oneOf('active', 'disabled')
const versioned = { version: Version, updated_at: Time }

const taxRule = {
  name: text(100),
  tax_class: Word,
  country: Country,
  region: Type.Optional(text(100)),
  rate_ppm,
  state: Type.Optional(state),
}
export const PutTaxRule = closed(taxRule, { title: 'PutTaxRule' })
export const TaxRule = Type.Object(
  { id: Word, ...taxRule, region: nullable(text(100)), state, ...versioned },
  { title: 'TaxRule' },
)

const shippingMethod = {
  name: text(100),
  tax_class: Type.Optional(Word),
  countries: Type.Optional(Type.Array(Country, { maxItems: 250 })),
  bands: Type.Array(
    closed({ currency: Currency, min_subtotal_minor: Price, amount_minor: Price }),
    { minItems: 1, maxItems: 100 },
  ),
  state: Type.Optional(state),
}
export const PutShippingMethod = closed(shippingMethod, { title: 'PutShippingMethod' })
export const ShippingMethod = Type.Object(
  {
    id: Word,
    ...shippingMethod,
    tax_class: Word,
    countries: Type.Array(Country),
    state,
    ...versioned,
  },
  { title: 'ShippingMethod' },
)

const Units = count(1, 100_000)
const discount = {
  kind: oneOf('percent', 'fixed', 'free_shipping', 'buy_get'),
  rate_ppm: Type.Optional(rate_ppm),
  amount_minor: Type.Optional(Price),
  currency: Type.Optional(Currency),
  scope: Type.Optional(oneOf('order', 'lines')),
  skus: Type.Optional(Type.Array(Sku, { maxItems: 200 })),
  categories: Type.Optional(Type.Array(text(200), { maxItems: 50 })),
  tags: Type.Optional(Type.Array(Word, { maxItems: 50 })),
  collections: Type.Optional(Type.Array(Word, { maxItems: 20 })),
  automatic: Type.Optional(Type.Boolean()),
  priority: Type.Optional(count(0, 1000)),
  buy_quantity: Type.Optional(Units),
  get_quantity: Type.Optional(Units),
  times_max: Type.Optional(Units),
  min_quantity: Type.Optional(Units),
  min_subtotal_minor: Type.Optional(Price),
  usage_limit: Type.Optional(count(1, 1_000_000_000)),
  stackable: Type.Optional(Type.Boolean()),
  starts_at: Type.Optional(Time),
  ends_at: Type.Optional(Time),
  state: Type.Optional(state),
}
export const PutDiscount = closed(discount, { title: 'PutDiscount' })
export const Discount = Type.Object(
  {
    code: Code,
    kind: discount.kind,
    rate_ppm: nullable(rate_ppm),
    amount_minor: nullable(Price),
    currency: nullable(Currency),
    scope: oneOf('order', 'lines'),
    skus: Type.Array(Sku),
    categories: Type.Array(text(200)),
    tags: Type.Array(Word),
    collections: Type.Array(Word),
    automatic: Type.Boolean(),
    priority: count(0, 1000),
    buy_quantity: nullable(Units),
    get_quantity: nullable(Units),
    times_max: nullable(Units),
    min_quantity: nullable(Units),
    min_subtotal_minor: nullable(Price),
    usage_limit: nullable(count(1, 1_000_000_000)),
    used: Type.Optional(Type.Integer()),
    stackable: Type.Boolean(),
    starts_at: nullable(Time),
    ends_at: nullable(Time),
    state,
    ...versioned,
  },
  { title: 'Discount' },
)

const shopSettings = {
  default_currency: Currency,
  rounding_mode: oneOf('line', 'order'),
  capture_policy: oneOf('on_first_shipment', 'on_confirm'),
  capture_before_expiry: Type.Boolean(),
  return_window_days: count(0, 3650),
}
export const PutSettings = closed(shopSettings, { title: 'PutCommerceSettings' })
export const ShopSettings = Type.Object(
  { ...shopSettings, version: Type.Integer({ minimum: 0 }) },
  { title: 'CommerceSettings' },
)

export type TaxRule = Static<typeof TaxRule>
export type ShippingMethod = Static<typeof ShippingMethod>
export type Discount = Static<typeof Discount>
export type ShopSettings = Static<typeof ShopSettings>

/** The settings of a shop that has stored none. */
export const usual_settings: ShopSettings = {
  default_currency: 'EUR',
  rounding_mode: 'line',
  capture_policy: 'on_first_shipment',
  capture_before_expiry: false,
  return_window_days: 30,
  version: 0,
}
