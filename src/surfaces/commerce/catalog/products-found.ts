/**
 * What the search over all lists finds among products: a handle, the beginning of a SKU, or words of the
 * title, of which the last one may be the beginning of a word. Products that are not on sale are found by
 * those who may write them.
 */
import { Type } from 'typebox'
import { exact, Id, sql, Time, type SearchCaller, type SearchSpec, type Sql } from '#dodeca/kernel'
import { inIndex } from './list-products.ts'

const Found = Type.Object({
  id: Id,
  title: Type.String(),
  handle: Type.String(),
  state: Type.String(),
  created_at: Time,
})

export async function productsFound(
  { principal: { tenant_id }, grants }: SearchCaller,
  writes: string,
): Promise<SearchSpec> {
  return {
    from: 'commerce.catalog_products',
    row: Found,
    where: (await grants()).has(writes) ? sql`true` : sql`t.state = 'active'`,
    find: [
      exact('handle'),
      { column: 'sku', index: null, condition: text => hasSku(tenant_id, text) },
      { column: 'title', index: null, condition: text => hasWords(tenant_id, text) },
    ],
    shows: ['title', 'handle'],
  }
}

/** The beginning of a SKU in any case. Many may begin so, and only the first ones are looked at. */
function hasSku(tenant_id: string, sku: string): Sql {
  const plain = sql`kernel.plain(v.sku) collate "C"`
  return sql`
    t.id in (
      select v.product_id from commerce.product_variants v
      where v.tenant_id = ${tenant_id} and ${plain} >= kernel.plain(${sku})
        and ${plain} < kernel.plain(${sku}) || chr(1114111)
      order by ${plain} limit 50)`
}

/** A text without words is null, and finds nothing. */
function hasWords(tenant_id: string, text: string): Sql {
  const words = sql`(nullif(plainto_tsquery('simple', ${text})::text, '') || ':*')::tsquery`
  const of_shop = inIndex(sql`(${`'${tenant_id}'`}::text::tsquery && ${words})`, sql`t`)
  return sql`${of_shop} and ts_filter(t.search, '{a}') @@ ${words}`
}
