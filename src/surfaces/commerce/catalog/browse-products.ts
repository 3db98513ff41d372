/**
 * The product list with filters and sorts, for a shop of any size. Two ways lead to a page. If many
 * products fit, the list is read in its order until the page is full. Few products are read by an
 * index (of words and facets, of a collection, of prices), compared with all filters, and sorted.
 * Nobody knows before how many fit: the list is read a little first, and again at length if the
 * index finds too many. A page that ends at the limit is short and has `has_more`.
 */
import { Type } from 'typebox'
import { nullable, page, sql, type List, type Page, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { countFacets } from './count-facets.ts'
import type { Facets } from './facets.ts'
import {
  afterPlace,
  ListedRow,
  place,
  publishedOf,
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

const Found = Type.Object({ found: Type.Integer() })
/** So few that it is not worth counting what another index finds. */
const very_few = 500

type Request = { readonly scope: List; readonly asked: Browsing; readonly counts: boolean }

export async function browseProducts(
  tx: Reader,
  deps: Pick<Deps, 'files' | 'kernel'>,
  { scope, asked, counts }: Request,
): Promise<Page<ProductSummary> & { readonly facets: Facets | null }> {
  const look_max = deps.kernel.settings['kernel.list_look_max']
  const view = summaryOf(deps, asked.currency)
  const sources = sourcesOf(asked)
  const found = await findPage(tx, { scope, view, asked, sources, look_max })
  if (!counts) return { ...found, facets: null }
  const source = (await fewest(tx, sources, look_max)) ?? sources[0]
  return { ...found, facets: await countFacets(tx, asked, { source, look_max }) }
}

type Finding = {
  readonly scope: List
  readonly view: (row: ListedRow) => ProductSummary
  readonly asked: Browsing
  readonly sources: readonly Source[]
  readonly look_max: number
}
type Listed = Page<ProductSummary>

async function findPage(tx: Reader, finding: Finding): Promise<Listed> {
  const { scope, asked, sources, look_max } = finding
  const [first] = sources
  if (!first || isInOrder(asked, sources)) return await walk(tx, finding, look_max)
  // The best matches are found only among all of them.
  if (!asked.sort && asked.q) {
    const source = (await fewest(tx, sources, look_max)) ?? first
    return (await readFew(tx, finding, source, null)).listed
  }
  const begun = await walk(tx, finding, Math.ceil(look_max / 5))
  const { data, has_more } = begun.body
  if (!has_more || data.length === scope.cursors.start(scope).limit) return begun
  const source = await fewest(tx, sources, look_max)
  const few = source && (await readFew(tx, finding, source, look_max))
  return few?.all ? few.listed : await walk(tx, finding, look_max)
}

/** The list's own order has the page, such as a range of prices in the order of prices. */
function isInOrder(asked: Browsing, sources: readonly Source[]): boolean {
  return sources.every(one => one.by === 'price' && isByPrice(asked.sort))
}

/** In the order of the list, until the page is full or so many rows are read. */
async function walk(
  tx: Reader,
  { scope, view, asked }: Finding,
  look_max: number,
): Promise<Listed> {
  return await page(tx, {
    scope,
    view,
    row: ListedRow,
    place,
    look_max,
    columns: columnsOf(asked),
    fetch: (after, n) => walkStatement(asked, { after, n }),
  })
}

const FewRow = Type.Object({ found: Type.Integer(), row: nullable(ListedRow) })

/** The products of a source, of which at most so many are read, and whether these are all. */
async function readFew(
  tx: Reader,
  { scope, view, asked }: Finding,
  source: Source,
  most: number | null,
): Promise<{ readonly listed: Listed; readonly all: boolean }> {
  let all = true
  const listed = await page(tx, {
    scope,
    view,
    row: ListedRow,
    place,
    fetch: async (after, n) => {
      const rows = await tx.many(FewRow, fewStatement(asked, source, { after, n, most }))
      all = most === null || (rows[0]?.found ?? 0) <= most
      return rows.flatMap(({ found: _found, row }) => (row ? [row] : []))
    },
  })
  return { listed, all }
}

/** The source that finds the fewest products, if it finds at most so many. One alone is not counted. */
async function fewest(tx: Reader, sources: readonly Source[], most: number) {
  if (sources.length < 2) return sources[0]
  let best: Source | undefined
  let least = most + 1
  for (const source of sources) {
    const { from, where } = source
    const { found } = await tx.one(
      Found,
      sql`
        select count(*)::int as found from (
          select 1 from ${from} where ${where} limit ${most + 1}) f`,
    )
    if (found < least) [best, least] = [source, found]
    if (least <= very_few) break
  }
  return best
}

type Part = { readonly after: Place; readonly n: number }

/** Stock is compared last, in the order of the list: it costs the most. */
function fewStatement(
  asked: Browsing,
  { by, from, where, price }: Source,
  { after, n, most }: Part & { readonly most: number | null },
): Sql {
  const order = orderOf(asked)
  const limit = most === null ? sql`offset 0` : sql`limit ${most + 1}`
  return sql`
    with few as materialized (
      select p.tenant_id, p.id, p.rank, p.published_at, p.sort_minor,
        ${isWanted(asked, by)} as wanted
      from (select ${rowsOf(asked, price)} from ${from} where ${where} ${limit}) p
    ), listed as (
      select t.id, t.handle, ${titleIn(sql`t`, asked.locale)} as title, t.category, t.state,
        t.version, p.rank, ${publishedOf} as published_us, p.sort_minor,
        t.images[1]::text as image_id, stock.amount_minor,
        coalesce(stock.in_stock, false) as in_stock,
        row_number() over (order by ${order})::int as place
      from (
        select p.id, p.rank, p.published_at, p.sort_minor from (
          select p.tenant_id, p.id, p.rank, p.published_at, p.sort_minor from few p
          where p.wanted and ${isAfter(asked, after)} order by ${order} offset 0) p
        where ${isInStock(asked)} limit ${n}) p
      join commerce.catalog_products t on t.tenant_id = ${asked.tenant_id} and t.id = p.id
      left join lateral (${stockIn(asked.currency)}) stock on true
    )
    select c.found, to_jsonb(l) - 'place' as row from (select count(*)::int as found from few) c
    left join listed l on true order by l.place`
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
    newest: sql`p.published_at desc, p.id desc`,
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
  return afterPlace(undefined, sql.empty, { id, rank, published_us, sort_minor })
}
