/** Products with their variants in requests and replies. */
import { type Static, Type } from 'typebox'
import {
  Amount,
  closed,
  count,
  Id,
  map,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  text,
  Time,
  Version,
} from '#dodeca/kernel'
import { Currency, Price, Quantity, Short, Sku, Word } from '../schemas.ts'
import { Facets } from './facets.ts'

export const product_states = ['draft', 'active', 'archived'] as const
const Category = Type.String({
  description: 'A path, such as `kitchen/mugs`.',
  pattern: '^[a-z0-9-]+(/[a-z0-9-]+)*$',
  minLength: 1,
  maxLength: 200,
})
const Tags = Type.Array(Word, { maxItems: 50, uniqueItems: true })
const Locale = Type.String({
  description: 'A language, also of a country: `de`, `de-AT`.',
  pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
  minLength: 2,
  maxLength: 20,
})
const Translations = map(
  Locale,
  closed({
    title: Type.Optional(text(200)),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
  }),
  20,
)
const Words = map(text(40), Type.String({ maxLength: 200 }), 50)

const GivenPrice = closed({
  currency: Currency,
  amount_minor: Price,
  compare_at_minor: Type.Optional(Price),
  prices_include_tax: Type.Optional(Type.Boolean()),
})
const GivenVariant = closed(
  {
    sku: Sku,
    title: Type.Optional(text(200)),
    options: Type.Optional(Words),
    weight_grams: Type.Optional(count(0, 10_000_000)),
    requires_shipping: Type.Optional(Type.Boolean()),
    track_inventory: Type.Optional(Type.Boolean()),
    max_order_quantity: Type.Optional(Quantity),
    file_ids: Type.Optional(Type.Array(Id, { maxItems: 20, uniqueItems: true })),
    state: Type.Optional(oneOf('active', 'disabled')),
    prices: Type.Optional(Type.Array(GivenPrice, { maxItems: 50 })),
  },
  { title: 'GivenVariant' },
)
export type GivenVariant = Static<typeof GivenVariant>

const changeable = {
  title: Type.Optional(text(200)),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  category: Type.Optional(Category),
  tax_class: Type.Optional(Word),
  attributes: Type.Optional(Words),
  tags: Type.Optional(Tags),
  translations: Type.Optional(Translations),
  images: Type.Optional(Type.Array(Id, { maxItems: 20, uniqueItems: true })),
  state: Type.Optional(oneOf(...product_states)),
  variants: Type.Optional(Type.Array(GivenVariant, { maxItems: 200 })),
}
export const ChangeProduct = closed(changeable, { title: 'ChangeProduct' })
export const CreateProduct = closed(
  {
    handle: Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      minLength: 1,
      maxLength: 100,
    }),
    ...changeable,
    title: text(200),
    variants: Type.Array(GivenVariant, { minItems: 1, maxItems: 200 }),
  },
  { title: 'CreateProduct' },
)
export type CreateProduct = Static<typeof CreateProduct>
export type ChangeProduct = Static<typeof ChangeProduct>

const product_sorts = ['newest', 'price', '-price'] as const
const Pairs = text(1000)

export const ProductQuery = pageQuery({
  category: Type.Optional(Category),
  q: Type.Optional(text(200)),
  tags: Type.Optional(
    Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*(,[a-z0-9][a-z0-9_-]*)*$', maxLength: 500 }),
  ),
  attribute: Type.Optional(Pairs),
  option: Type.Optional(Pairs),
  collection: Type.Optional(Word),
  price_from: Type.Optional(Price),
  price_to: Type.Optional(Price),
  in_stock: Type.Optional(Type.Boolean()),
  sort: Type.Optional(oneOf(...product_sorts)),
  currency: Type.Optional(Currency),
  locale: Type.Optional(Locale),
  include: Type.Optional(oneOf('facets')),
  state: Type.Optional(oneOf(...product_states)),
})
export type ProductQuery = Static<typeof ProductQuery>
export const OneQuery = closed({
  currency: Type.Optional(Currency),
  locale: Type.Optional(Locale),
})

const Image = Type.Object({ file_id: Id, url: Type.String({ maxLength: 4096 }) })
const Money = Type.Object({ amount_minor: Amount, currency: Currency })

export const ProductSummary = Type.Object(
  {
    id: Id,
    handle: Short,
    title: Short,
    category: Short,
    state: oneOf(...product_states),
    price_from: nullable(Money),
    in_stock: Type.Boolean(),
    image: nullable(Image),
    version: Version,
  },
  { title: 'ProductSummary' },
)

export const ProductPage = Type.Object(
  { ...pageOf(ProductSummary).properties, facets: Type.Optional(Facets) },
  { title: 'ProductSummaryPage' },
)

const Variant = Type.Object(
  {
    sku: Sku,
    title: Short,
    options: Words,
    price: nullable(
      Type.Object({
        amount_minor: Amount,
        currency: Currency,
        price_version_id: Id,
        compare_at_minor: nullable(Amount),
        prices_include_tax: Type.Boolean(),
      }),
    ),
    in_stock: Type.Boolean(),
    max_order_quantity: Quantity,
    weight_grams: Type.Integer(),
    requires_shipping: Type.Boolean(),
    track_inventory: Type.Boolean(),
    /** Only for those who may write products, like `translations`. */
    file_ids: Type.Optional(Type.Array(Id)),
    state: oneOf('active', 'disabled'),
  },
  { title: 'Variant' },
)
export type Variant = Static<typeof Variant>

export const Product = Type.Object(
  {
    id: Id,
    handle: Short,
    title: Short,
    description: Type.String(),
    category: Short,
    tax_class: Short,
    state: oneOf(...product_states),
    attributes: Words,
    tags: Tags,
    translations: Type.Optional(Translations),
    images: Type.Array(Image),
    variants: Type.Array(Variant),
    version: Version,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Product' },
)
export type Product = Static<typeof Product>
export type ProductSummary = Static<typeof ProductSummary>
