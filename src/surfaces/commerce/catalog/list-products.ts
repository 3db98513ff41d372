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
  image_id: nullable(Type.String()),
  amount_minor: nullable(Type.Integer()),
  in_stock: Type.Boolean(),
})
type ListedRow = Static<typeof ListedRow>

export type Wanted = {
  readonly tenant_id: string
  readonly state: string
  readonly currency: string
  readonly category: string | undefined
  readonly q: string | undefined
}

type Place = { readonly [K in 'rank' | 'published_us' | 'id']: ListedRow[K] | null }

export function listStatement(wanted: Wanted, after: Place, n: number): Sql {
  const { tenant_id, state, currency, category, q } = wanted
  const words = sql`websearch_to_tsquery('simple', ${q ?? ''})`
  // A rank as text of fixed length sorts like the number, and a cursor keeps its exact value.
  const rank = q ? sql`to_char(ts_rank(p.search, ${words}), 'FM0.0000000000')` : sql`''::text`
  const conditions = [
    sql`p.tenant_id = ${tenant_id}`,
    sql`p.state = ${state}`,
    ...(q
      ? [
          // Must match the expression of the index, where the shop is one of the words. A query
          // without words finds nothing.
          sql`numnode(${words}) > 0 and (p.search || array_to_tsvector(array[p.tenant_id::text]))
            @@ (${`'${tenant_id}'`}::text::tsquery && ${words})`,
        ]
      : []),
    ...(category ? [sql`(p.category = ${category} or p.category like ${`${category}/%`})`] : []),
    ...(after.id === null ? [] : [afterPlace(q, rank, after)]),
  ]
  const order = q ? sql`${rank} desc, p.id desc` : sql`p.published_at desc, p.id desc`
  const shown = q ? sql`p.rank desc, p.id desc` : order
  return sql`
    select p.id, p.handle, p.title, p.category, p.state, p.version, p.rank, p.published_us,
      p.image_id, stock.amount_minor, coalesce(stock.in_stock, false) as in_stock
    from (
      select p.tenant_id, p.id, p.handle, p.title, p.category, p.state, p.version,
        p.images[1]::text as image_id, p.published_at, ${rank} as rank,
        (extract(epoch from p.published_at) * 1000000)::bigint as published_us
      from commerce.catalog_products p
      where ${sql.join(conditions, ' and ')}
      order by ${order} limit ${n}) p
    left join lateral (
      select min(price.amount_minor) as amount_minor,
        bool_or(not v.track_inventory or i.on_hand > i.reserved) as in_stock
      from commerce.product_variants v
      left join commerce.inventory_items i on i.tenant_id = v.tenant_id and i.sku = v.sku
      left join lateral (
        select w.amount_minor from commerce.price_versions w
        where w.tenant_id = v.tenant_id and w.sku = v.sku and w.currency = ${currency}
          and w.effective_from <= kernel.now()
        order by w.effective_from desc limit 1) price on true
      where v.tenant_id = p.tenant_id and v.product_id = p.id and v.state = 'active'
    ) stock on true
    order by ${shown}`
}

function afterPlace(q: string | undefined, rank: Sql, { rank: last, published_us, id }: Place) {
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
