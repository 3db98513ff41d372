/**
 * The statement of the product list. Products are sorted newest first, or by rank if words are
 * searched. The statement searches the words in the rows themselves, so a change is found
 * immediately. It reads prices and stock only for the rows of the page.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { imageOf } from './images.ts'
import type { ProductSummary } from './schemas.ts'

export const ListedRow = Type.Object({
  id: Type.String(),
  handle: Type.String(),
  title: Type.String(),
  category: Type.String(),
  state: Type.Unsafe<ProductSummary['state']>({ type: 'string' }),
  version: Type.Integer(),
  rank: Type.String(),
  /** In microseconds; the time in replies is less exact. */
  published_us: nullable(Type.Integer()),
  /** The price by which the list is sorted. The one that is shown may be newer. */
  sort_minor: nullable(Type.Integer()),
  image_id: nullable(Type.String()),
  amount_minor: nullable(Type.Integer()),
  in_stock: Type.Boolean(),
})
export type ListedRow = Static<typeof ListedRow>

export type Wanted = {
  readonly tenant_id: string
  readonly state: string
  readonly currency: string
  readonly category: string | undefined
  readonly q: string | undefined
  readonly locale?: string | undefined
}

export const place = ['rank', 'published_us', 'sort_minor', 'id'] as const
export type Place = { readonly [K in (typeof place)[number]]: ListedRow[K] | null }

export function wordsOf({ q }: Pick<Wanted, 'q'>): Sql {
  return sql`websearch_to_tsquery('simple', ${q ?? ''})`
}

/** A rank as text of fixed length sorts like the number, and a cursor keeps its exact value. */
export function rankOf(wanted: Pick<Wanted, 'q'>): Sql {
  if (!wanted.q) return sql`''::text`
  return sql`to_char(ts_rank(p.search, ${wordsOf(wanted)}), 'FM0.0000000000')`
}

export const publishedOf = sql`(extract(epoch from p.published_at) * 1000000)::bigint`

/** Matches the expression of the index, where the shop is one of the words of each product. */
export function inIndex(words: Sql, row: Sql = sql`p`): Sql {
  return sql`(${row}.search || array_to_tsvector(array[${row}.tenant_id::text])) @@ ${words}`
}

export function listStatement(wanted: Wanted, after: Place, n: number): Sql {
  const { tenant_id, state, currency, category, q, locale } = wanted
  const words = wordsOf(wanted)
  const rank = rankOf(wanted)
  const conditions = [
    sql`p.state = ${state}`,
    ...(q
      ? [
          // A query without words finds nothing.
          sql`numnode(${words}) > 0 and ${inIndex(sql`(${`'${tenant_id}'`}::text::tsquery && ${words})`)}`,
        ]
      : []),
    ...(category ? [sql`(p.category = ${category} or p.category like ${`${category}/%`})`] : []),
    ...(after.id === null ? [] : [afterPlace(q, rank, after)]),
  ]
  const order = q ? sql`${rank} desc, p.id desc` : sql`p.published_at desc, p.id desc`
  const shown = q ? sql`t.rank desc, t.id desc` : sql`t.published_at desc, t.id desc`
  return sql`
    select t.id, t.handle, t.title, t.category, t.state, t.version, t.rank, t.published_us,
      null::bigint as sort_minor, t.image_id, stock.amount_minor,
      coalesce(stock.in_stock, false) as in_stock
    from (
      select p.tenant_id, p.id, p.handle, ${titleIn(sql`p`, locale)} as title, p.category,
        p.state, p.version, p.images[1]::text as image_id, p.published_at, ${rank} as rank,
        ${publishedOf} as published_us
      from commerce.catalog_products p
      where p.tenant_id = ${tenant_id} and ${sql.join(conditions, ' and ')}
      order by ${order} limit ${n}) t
    left join lateral (${stockIn(currency)}) stock on true
    order by ${shown}`
}

/** The title of a row in a language, else in the nearest one above it, else the usual one. */
export function titleIn(row: Sql, locale: string | undefined): Sql {
  const found = localesOf(locale).map(one => sql`${row}.translations -> ${one}::text ->> 'title'`)
  return found.length === 0
    ? sql`${row}.title`
    : sql`coalesce(${sql.join(found, ', ')}, ${row}.title)`
}

/** `de-AT` is also `de`. */
export function localesOf(locale: string | undefined): string[] {
  const parts = locale?.split('-') ?? []
  return parts.map((_part, at) => parts.slice(0, parts.length - at).join('-'))
}

/** The lowest price of a product `t` now, and whether a variant of it is in stock. */
export function stockIn(currency: string): Sql {
  return sql`
    select min(price.amount_minor) as amount_minor,
      bool_or(not v.track_inventory or i.on_hand > i.reserved) as in_stock
    from commerce.product_variants v
    left join commerce.inventory_items i on i.tenant_id = v.tenant_id and i.sku = v.sku
    left join lateral (
      select w.amount_minor from commerce.price_versions w
      where w.tenant_id = v.tenant_id and w.sku = v.sku and w.currency = ${currency}
        and w.effective_from <= kernel.now()
      order by w.effective_from desc limit 1) price on true
    where v.tenant_id = t.tenant_id and v.product_id = t.id and v.state = 'active'`
}

export function afterPlace(
  q: string | undefined,
  rank: Sql,
  { rank: last, published_us, id }: Place,
): Sql {
  if (q) return sql`(${rank}, p.id) < (${last}, ${id}::uuid)`
  if (published_us === null) return sql`p.published_at is null and p.id < ${id}::uuid`
  return sql`
    (p.published_at, p.id) < (
      timestamptz 'epoch' + ${published_us}::bigint * interval '1 microsecond', ${id}::uuid)`
}

export function summaryOf(deps: Pick<Deps, 'files'>, currency: string) {
  return (row: ListedRow): ProductSummary => ({
    id: row.id,
    handle: row.handle,
    title: row.title,
    category: row.category,
    state: row.state,
    price_from: row.amount_minor === null ? null : { amount_minor: row.amount_minor, currency },
    in_stock: row.in_stock,
    image: row.image_id === null ? null : imageOf(deps, row.image_id),
    version: row.version,
  })
}
