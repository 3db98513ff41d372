/** The route that adds a price. */
import { Type } from 'typebox'
import { closed, equal, looked, routesOf, sql, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Currency, Price, Sku } from '../schemas.ts'
import { addPrice, PriceVersion } from './add-price.ts'
import { sortPrices } from './sort-prices.ts'

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

const path = '/v1/price-versions'

const { open, create, list } = routesOf<Deps>({ permission: 'commerce.prices.write', added: true })

export const priceRoutes = open({
  addPriceVersion: create(
    path,
    'Set the price of a SKU, from now or from a later time',
    {
      sends: [],
      description:
        'A price never changes; a new price is added. Orders keep the price that was valid when they were placed.',
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
      const { added, product_id: id } = await addPrice(tx, { ...price, tenant_id, effective_from })
      tx.audit('commerce.price.add', `price_version:${added.id}`)
      await sortPrices(tx, { tenant_id, id }, price.currency)
      return added
    },
  ),

  listPriceVersions: list(path, 'List the prices of the shop, newest first', {
    description:
      'With `scheduled=true` those that begin later. `sort=effective_from` lists the next one first.',
    from: 'commerce.price_versions',
    row: PriceVersion,
    filters: {
      sku: equal(Sku),
      currency: looked(Currency),
      scheduled: looked(Type.Boolean(), yes =>
        yes ? sql`t.effective_from > kernel.now()` : sql`t.effective_from <= kernel.now()`,
      ),
    },
    sort: { effective_from: { column: 'effective_from', type: 'timestamptz' } },
  }),
})
