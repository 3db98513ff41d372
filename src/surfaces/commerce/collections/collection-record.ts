/** A collection as a record of the shop: what it asks of its products, or which ones it names. */
import { sql, type Reader, type Sql } from '#dodeca/kernel'
import { checkFacet, facetText } from '../catalog/facets.ts'
import { problem } from '../errors.ts'
import { findRecord, type RecordRow } from '../rules/records.ts'
import type { Collection, PutCollection } from './schemas.ts'

/** As stored. The facets are those of `all`, as products have them. */
type Stored = PutCollection & { readonly facets: readonly string[] | null }

export function storedOf(given: PutCollection): Stored {
  const { all, product_ids } = given
  if ((all === undefined) === (product_ids === undefined)) {
    throw problem('validation_failed', {
      detail: 'Send either `all`, the facets that each product has, or `product_ids`.',
      errors: [{ location: 'body', pointer: '/all', constraint: 'required' }],
    })
  }
  all?.forEach((facet, at) => checkFacet(facet, `/all/${at}`))
  return { ...given, facets: all?.map(facetText) ?? null }
}

export function collectionOf({ key, record, version, updated_at }: RecordRow): Collection {
  const { title, all = null, product_ids = null } = record as Stored
  return { key, title, all, product_ids, version, updated_at }
}

/** For the list of its products. */
export async function findCollection(reader: Reader, tenant_id: string, key: string) {
  const row = await findRecord(reader, { tenant_id, kind: 'collection', key })
  if (!row) throw problem('collection_not_found')
  const { facets, product_ids = null } = row.record as Stored
  return { facets, product_ids }
}

/** Whether a product `p` is in a collection `k`. */
export const isInCollection: Sql = sql`
  case when k.record ? 'product_ids' then k.record -> 'product_ids' ? p.id::text
    else p.facets @> array(select jsonb_array_elements_text(k.record -> 'facets')) end`
