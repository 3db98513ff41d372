/** A page of the product list: plain, or with filters and sorts, and with counted facets. */
import { page, type List, type Reader } from '#dodeca/kernel'
import { findCollection } from '../collections/collection-record.ts'
import type { Deps } from '../deps.ts'
import { browseProducts } from './browse-products.ts'
import { askedFacets, facetText } from './facets.ts'
import { ListedRow, listStatement, place, summaryOf } from './list-products.ts'
import type { Browsing } from './product-filters.ts'
import type { ProductQuery } from './schemas.ts'

const most_minor = 99_999_999

type Asked = Pick<Browsing, 'tenant_id' | 'state' | 'currency'>

export async function findProducts(
  tx: Reader,
  deps: Pick<Deps, 'files' | 'kernel'>,
  { scope, query, asked }: { scope: List; query: ProductQuery; asked: Asked },
) {
  const { q, category, collection, price_from, price_to, in_stock, sort, locale } = query
  const words = { ...asked, q, category, locale }
  const groups = askedFacets(query)
  const counts = query.include === 'facets'
  const filters = [collection, price_from, price_to, in_stock, sort]
  if (!counts && groups.length === 0 && filters.every(one => one === undefined)) {
    return await page(tx, {
      scope,
      row: ListedRow,
      place,
      view: summaryOf(deps, asked.currency),
      fetch: (after, n) => listStatement(words, after, n),
    })
  }
  const named = collection ? await findCollection(tx, asked.tenant_id, collection) : null
  const within = category ? [[facetText({ by: 'category', value: category })]] : []
  const { facets, body, headers } = await browseProducts(tx, deps, {
    scope,
    counts,
    asked: {
      ...words,
      facets: [...groups, ...within, ...(named?.facets ?? []).map(one => [one])],
      product_ids: named?.product_ids ?? null,
      price:
        price_from === undefined && price_to === undefined
          ? null
          : { from: price_from ?? 0, to: price_to ?? most_minor },
      in_stock,
      sort,
    },
  })
  return { body: facets ? { ...body, facets } : body, headers }
}
