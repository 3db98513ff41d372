/** Counts the facets of the products that fit, of at most so many that are looked at. */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import { facetOf, type Facets } from './facets.ts'
import {
  isInStock,
  isWanted,
  priceOf,
  rowsOf,
  type Browsing,
  type Source,
} from './product-filters.ts'

const Counted = Type.Object({
  looked: Type.Integer(),
  wanted: Type.Integer(),
  facets: Type.Unsafe<{ facet: string; n: number }[]>({ type: 'array' }),
})
const facets_max = 300

type Counting = { readonly source: Source | undefined; readonly look_max: number }

export async function countFacets(
  tx: Reader,
  asked: Browsing,
  counting: Counting,
): Promise<Facets> {
  const { source, look_max } = counting
  const { tenant_id, state } = asked
  const from = source?.from ?? sql`commerce.catalog_products p`
  const where =
    source?.where ??
    sql`p.tenant_id = ${tenant_id} and p.state = ${state} order by p.published_at desc, p.id desc`
  const { looked, wanted, facets } = await tx.one(
    Counted,
    sql`
      with looked as materialized (
        select p.facets, (${isWanted(asked, source?.by)} and ${isInStock(asked)}) as wanted from (
          select ${rowsOf(asked, source?.price ?? priceOf(asked))} from ${from} where ${where}
          limit ${look_max}) p
      ), counted as (
        select f.facet, count(*)::int as n
        from (select unnest(l.facets) as facet from looked l where l.wanted) f
        group by f.facet order by n desc, f.facet limit ${facets_max}
      )
      select (select count(*)::int from looked) as looked,
        (select count(*)::int from looked where wanted) as wanted,
        coalesce((select json_agg(c) from counted c), '[]') as facets`,
  )
  return {
    products: wanted,
    complete: looked < look_max,
    values: facets.map(one => facetOf(one.facet, one.n)),
  }
}
