/** The route that adds a price. */
import { Type } from 'typebox'
import { closed, routesOf, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Currency, Price, Sku } from '../schemas.ts'
import { addPrice, PriceVersion } from './add-price.ts'

const AddPrice = closed(
  {
    sku: Sku,
    currency: Currency,
    amount_minor: Price,
    compare_at_minor: Type.Optional(Price),
    prices_include_tax: Type.Optional(Type.Boolean()),
    effective_from: Type.Optional(Time),
  },
  { title: 'AddPriceVersion' },
)

const { open, create } = routesOf<Deps>()

export const priceRoutes = open({
  addPriceVersion: create(
    '/v1/price-versions',
    'Set the price of a SKU, from now or from a later time',
    {
      sends: [],
      description:
        'A price never changes; a new price is added. Orders keep the price that was valid when they were placed.',
      permission: 'commerce.prices.write',
      added: true,
      body: AddPrice,
      reply: PriceVersion,
      fails: [
        'sku_not_found',
        'price_version_exists',
        'effective_from_in_past',
        'currency_unsupported',
      ],
    },
    async ({ tx, principal, body }) => {
      const { effective_from = null, ...price } = body
      const { tenant_id } = principal
      return await addPrice(tx, { ...price, tenant_id, effective_from })
    },
  ),
})
