/**
 * The product list with filters and sorts, for a shop of any size. What an index finds (words and
 * facets, a collection, a range of prices) is counted first, up to a limit. If one of them finds
 * few products, these are read, compared with all filters, and sorted. Otherwise the list is read
 * in its order until the page is full: then many products fit, so this ends soon. A page that ends
 * at the limit is short and has `has_more`.
 */
import { Type } from 'typebox'
import { page, sql, type List, type Page, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { countFacets } from './count-facets.ts'
import type { Facets } from './facets.ts'
import {
  afterPlace,
  ListedRow,
  place,
  stockIn,
  summaryOf,
  titleIn,
  type Place,
} from './list-products.ts'
import {
  isByPrice,
  isInStock,
  isWanted,
  isWithin,
  priceOf,
  rowsOf,
  sourcesOf,
  type Browsing,
  type Source,
} from './product-filters.ts'
import type { ProductSummary } from './schemas.ts'

const Found = Type.Object({ found: Type.Array(Type.Integer()) })

export async function browseProducts(
  tx: Reader,
  deps: Pick<Deps, 'files' | 'kernel'>,
  { scope, asked, counts }: { scope: List; asked: Browsing; counts: boolean },
): Promise<Page<ProductSummary> & { readonly facets: Facets | null }> {
  const look_max = deps.kernel.settings['kernel.list_look_max']
  const sources = sourcesOf(asked)
  const { source, few } = await fewest(tx, sources, look_max)
  const said = { scope, row: ListedRow, place, view: summaryOf(deps, asked.currency) }
  const ranked = !asked.sort && asked.q
  const found =
    source && (few || ranked)
      ? await page(tx, {
          ...said,
          fetch: (after, n) => fewStatement(asked, source, { after, n }),
        })
      : await page(tx, {
          ...said,
          look_max,
          columns: columnsOf(asked),
          fetch: (after, n) => walkStatement(asked, { after, n }),
        })
  return {
    ...found,
    facets: counts ? await countFacets(tx, asked, { source, few, look_max }) : null,
  }
}

/** The source that finds the fewest products, and whether these are at most so many. */
async function fewest(tx: Reader, sources: readonly Source[], most: number) {
  if (sources.length === 0) return { source: undefined, few: false }
  const counts = sources.map(
    ({ from, where }) =>
      sql`(select count(*)::int from (select 1 from ${from} where ${where} limit ${most + 1}) f)`,
  )
  const { found } = await tx.one(Found, sql`select array[${sql.join(counts, ', ')}] as found`)
  const least = Math.min(...found)
  return { source: sources[found.indexOf(least)], few: least <= most }
}

type Part = { readonly after: Place; readonly n: number }

/** Stock is compared last, in the order of the list: it costs the most. */
function fewStatement(asked: Browsing, { from, where }: Source, { after, n }: Part): Sql {
  const order = orderOf(asked)
  return sql`
    with few as materialized (
      select p.tenant_id, p.id, p.rank, p.published_us, p.sort_minor, ${isWanted(asked)} as wanted
      from (select ${rowsOf(asked, priceOf(asked))} from ${from} where ${where} offset 0) p
    )
    select t.id, t.handle, ${titleIn(sql`t`, asked.locale)} as title, t.category, t.state,
      t.version, p.rank, p.published_us, p.sort_minor, t.images[1]::text as image_id,
      stock.amount_minor, coalesce(stock.in_stock, false) as in_stock
    from (
      select p.id, p.rank, p.published_us, p.sort_minor from (
        select p.tenant_id, p.id, p.rank, p.published_us, p.sort_minor from few p
        where p.wanted and ${isAfter(asked, after)} order by ${order} offset 0) p
      where ${isInStock(asked)} limit ${n}) p
    join commerce.catalog_products t on t.tenant_id = ${asked.tenant_id} and t.id = p.id
    left join lateral (${stockIn(asked.currency)}) stock on true
    order by ${order}`
}

/** Rows in the order of the list, each with whether it is wanted. */
function walkStatement(asked: Browsing, part: Part): Sql {
  const rows = isByPrice(asked.sort) ? pricedRows(asked, part) : newestRows(asked, part)
  return sql`
    select p.*, (${isWanted(asked)} and ${isInStock(asked)}) as wanted from (${rows}) p`
}

function newestRows(asked: Browsing, { after, n }: Part): Sql {
  const { tenant_id, state } = asked
  return sql`
    select ${rowsOf(asked, priceOf(asked))} from commerce.catalog_products p
    where p.tenant_id = ${tenant_id} and p.state = ${state}
      and ${after.id === null ? sql`true` : afterPlace(undefined, sql.empty, after)}
    order by p.published_at desc, p.id desc limit ${n}`
}

function pricedRows(asked: Browsing, { after, n }: Part): Sql {
  const { tenant_id, currency, sort, price } = asked
  const way = sort === 'price' ? sql`asc` : sql`desc`
  const past = sort === 'price' ? sql`>` : sql`<`
  const conditions = [
    sql`w.tenant_id = ${tenant_id} and w.currency = ${currency} and w.amount_minor is not null`,
    ...(price ? [isWithin(price)] : []),
    ...(after.id === null
      ? []
      : [
          sql`
            (w.amount_minor, w.product_id)
              ${past} (${after.sort_minor}::bigint, ${after.id}::uuid)`,
        ]),
  ]
  return sql`
    select ${rowsOf(asked, sql`w.amount_minor`)} from (
      select w.product_id, w.amount_minor from commerce.product_prices w
      where ${sql.join(conditions, ' and ')}
      order by w.amount_minor ${way}, w.product_id ${way} limit ${n}) w
    cross join lateral (
      select p.tenant_id, p.id, p.handle, p.title, p.translations, p.category, p.state, p.version,
        p.images, p.facets, p.search, p.published_at
      from commerce.catalog_products p
      where p.tenant_id = ${tenant_id} and p.id = w.product_id offset 0) p`
}

/** Of a wanted row `t` of the walk. */
function columnsOf({ currency, locale }: Browsing): Sql {
  const stock = stockIn(currency)
  return sql`
    t.id, t.handle, ${titleIn(sql`t`, locale)} as title, t.category, t.state, t.version, t.rank,
    t.published_us, t.sort_minor, t.images[1]::text as image_id,
    (select s.amount_minor from (${stock}) s) as amount_minor,
    coalesce((select s.in_stock from (${stock}) s), false) as in_stock`
}

function orderOf({ q, sort }: Browsing): Sql {
  return {
    price: sql`p.sort_minor, p.id`,
    '-price': sql`p.sort_minor desc, p.id desc`,
    newest: sql`p.published_us desc, p.id desc`,
    rank: sql`p.rank desc, p.id desc`,
  }[sort ?? (q ? 'rank' : 'newest')]
}

function isAfter({ q, sort }: Browsing, { id, rank, published_us, sort_minor }: Place): Sql {
  if (id === null) return sql`true`
  if (sort === 'price') {
    return sql`(p.sort_minor, p.id) > (${sort_minor}::bigint, ${id}::uuid)`
  }
  if (sort === '-price') {
    return sql`(p.sort_minor, p.id) < (${sort_minor}::bigint, ${id}::uuid)`
  }
  if (!sort && q) return sql`(p.rank, p.id) < (${rank}, ${id}::uuid)`
  // Drafts were never published.
  if (published_us === null) return sql`p.published_us is null and p.id < ${id}::uuid`
  return sql`(p.published_us, p.id) < (${published_us}::bigint, ${id}::uuid)`
}
