/**
 * Finds where a caller may search: the requested collections, each with its active index and the
 * numbers of the access lists that contain the caller. If the caller may not read one of them, the
 * whole search is refused.
 */
import { Type, type Static } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { mayCollection } from '../access/rights.ts'
import { problem } from '../errors.ts'

const Place = Type.Object({
  id: Type.String(),
  language: Type.String(),
  index_version: Type.Integer(),
  embedding_profile: Type.String(),
  table_id: Type.String(),
  /** 0 is the list of the collection. */
  acl_set_ids: Type.Array(Type.Integer()),
})
export type SearchPlace = Static<typeof Place>
const Count = Type.Object({ n: Type.Integer() })

export async function searchScope(
  reader: Reader,
  caller: Caller,
  collection_ids: readonly string[],
): Promise<SearchPlace[]> {
  const { tenant_id, names } = caller
  const wanted = [...new Set(collection_ids)]
  const places = await reader.many(
    Place,
    sql`
      select c.id, c.language, i.version as index_version, i.embedding_profile, i.table_id,
        array(select 0::bigint union all
          select s.id from retrieval.acl_sets s
          where s.tenant_id = c.tenant_id and s.collection_id = c.id
            and s.entries && ${names}::text[]) as acl_set_ids
      from retrieval.collections c
      join retrieval.index_versions i on i.tenant_id = c.tenant_id and i.collection_id = c.id
        and i.state = 'active'
      where c.tenant_id = ${tenant_id} and c.id = any(${wanted}::uuid[])
        and ${mayCollection(caller, 'read')}
      order by c.id`,
  )
  if (places.length < wanted.length) throw problem('collection_not_found')
  return places
}

/**
 * Whether the tables are still those of their index versions. A purge moves the rows to another
 * table and then drops this one, file by file. A search that reads a table meanwhile may find an
 * older state of it, without an error.
 */
export async function areCurrent(
  reader: Reader,
  { tenant_id }: Pick<Caller, 'tenant_id'>,
  places: readonly SearchPlace[],
): Promise<boolean> {
  const { n } = await reader.one(
    Count,
    sql`
      select count(*)::int as n
      from ${sql.table(places, { id: 'uuid', index_version: 'int4', table_id: 'uuid' })} p
      join retrieval.index_versions i on i.tenant_id = ${tenant_id} and i.collection_id = p.id
        and i.version = p.index_version and i.table_id = p.table_id and i.state <> 'dropped'`,
  )
  return n === places.length
}
