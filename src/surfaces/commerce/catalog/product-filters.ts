/**
 * The filters of the product list: which of them an index finds, and the condition of all of them
 * on rows that were found in another way.
 */
import { sql, type Sql } from '#dodeca/kernel'
import { inIndex, publishedOf, rankOf, wordsOf, type Wanted } from './list-products.ts'
import type { ProductQuery } from './schemas.ts'

export type Browsing = Wanted & {
  /** Of each group a product has at least one facet. */
  readonly facets: readonly (readonly string[])[]
  /** Of a collection that names its products. */
  readonly product_ids: readonly string[] | null
  readonly price: { readonly from: number; readonly to: number } | null
  readonly in_stock: boolean | undefined
  readonly sort: ProductQuery['sort']
}

/** What an index finds: products `p`, with their price to sort by. */
export type Source = {
  readonly by: 'names' | 'words' | 'price'
  readonly from: Sql
  readonly where: Sql
  readonly price: Sql
}

export function sourcesOf(asked: Browsing): Source[] {
  const { tenant_id, state, currency, q, facets, product_ids, price } = asked
  const own = sql`p.tenant_id = ${tenant_id} and p.state = ${state}`
  const from = sql`commerce.catalog_products p`
  const shop = sql`${`'${tenant_id}'`}::text::tsquery`
  const words = inIndex(q ? sql`(${shop} && ${wordsOf(asked)})` : shop)
  const sources: Source[] = []
  if (product_ids) {
    const where = sql`${own} and ${isNamed(product_ids)}`
    sources.push({ by: 'names', from, where, price: priceOf(asked) })
  }
  if (price) {
    sources.push({
      by: 'price',
      from: sql`
        commerce.product_prices w
        join commerce.catalog_products p on p.tenant_id = w.tenant_id and p.id = w.product_id`,
      where: sql`
        w.tenant_id = ${tenant_id} and w.currency = ${currency} and ${isWithin(price)} and ${own}`,
      price: sql`w.amount_minor`,
    })
  }
  if (q || facets.length > 0) {
    const all = [own, words, ...(q ? [hasWords(asked)] : []), ...hasFacets(facets)]
    sources.push({ by: 'words', from, where: sql.join(all, ' and '), price: priceOf(asked) })
  }
  return sources
}

export function isWithin({ from, to }: NonNullable<Browsing['price']>): Sql {
  return sql`w.amount_minor between ${from}::bigint and ${to}::bigint`
}

const isNamed = (ids: readonly string[]) => sql`p.id = any(${[...ids]}::uuid[])`
/** A query without words finds nothing. */
const hasWords = (asked: Browsing) => sql`numnode(${wordsOf(asked)}) > 0`

function hasFacets(groups: Browsing['facets']): Sql[] {
  const all = groups.filter(one => one.length === 1).flat()
  return [
    ...(all.length > 0 ? [sql`p.facets @> ${all}::text[]`] : []),
    ...groups.filter(one => one.length > 1).map(some => sql`p.facets && ${[...some]}::text[]`),
  ]
}

/** Products `p` with what lists are sorted by. */
export function rowsOf(asked: Browsing, price: Sql): Sql {
  const searched = asked.sort ? { q: undefined } : asked
  return sql`
    p.tenant_id, p.id, p.handle, p.title, p.translations, p.category, p.state, p.version, p.images,
    p.facets, p.search, p.published_at, ${rankOf(searched)} as rank,
    ${publishedOf} as published_us, ${price} as sort_minor`
}

/**
 * All filters of rows `p`, but those of a source that found them. As a column they use no index, so
 * a plan keeps to the source.
 */
export function isWanted(asked: Browsing, found?: Source['by']): Sql {
  const { q, state, facets, product_ids, price, sort } = asked
  const conditions = [
    sql`p.state = ${state}`,
    ...(q && found !== 'words' ? [sql`p.search @@ ${wordsOf(asked)}`, hasWords(asked)] : []),
    ...(found === 'words' ? [] : hasFacets(facets)),
    ...(product_ids && found !== 'names' ? [isNamed(product_ids)] : []),
    ...(price && found !== 'price'
      ? [sql`p.sort_minor between ${price.from}::bigint and ${price.to}::bigint`]
      : []),
    ...(isByPrice(sort) ? [sql`p.sort_minor is not null`] : []),
  ]
  return sql`coalesce(${sql.join(conditions, ' and ')}, false)`
}

export const isByPrice = (sort: Browsing['sort']) => sort === 'price' || sort === '-price'

export function priceOf({ currency, sort, price }: Browsing): Sql {
  if (!price && !isByPrice(sort)) return sql`null::bigint`
  return sql`(
    select w.amount_minor from commerce.product_prices w
    where w.tenant_id = p.tenant_id and w.product_id = p.id and w.currency = ${currency})`
}

/** Whether a product `p` has a variant in stock. */
export function isInStock({ in_stock }: Browsing): Sql {
  if (in_stock === undefined) return sql`true`
  const has = sql`
    exists (
      select from commerce.product_variants v
      left join commerce.inventory_items i on i.tenant_id = v.tenant_id and i.sku = v.sku
      where v.tenant_id = p.tenant_id and v.product_id = p.id and v.state = 'active'
        and (not v.track_inventory or i.on_hand > i.reserved))`
  return in_stock ? has : sql`not ${has}`
}
