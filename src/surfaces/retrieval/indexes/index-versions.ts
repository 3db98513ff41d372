/**
 * The index versions of a collection that must be kept up to date with its documents: all that are
 * not dropped.
 */
import { Type, type Static } from 'typebox'
import { oneOf, sql, type Reader } from '#dodeca/kernel'

export const index_states = ['building', 'ready', 'active', 'retired', 'dropped', 'failed'] as const
export const IndexState = oneOf(...index_states)

const Live = Type.Object({
  tenant_id: Type.String(),
  collection_id: Type.String(),
  version: Type.Integer(),
  embedding_profile: Type.String(),
  table_id: Type.String(),
  language: Type.String(),
  state: IndexState,
})
export type IndexVersion = Static<typeof Live>

/** The name of a table in the engine. */
export const tableOf = (table_id: string) => `i-${table_id}`

export async function liveVersions(
  reader: Reader,
  tenant_id: string,
  collection_id: string,
): Promise<IndexVersion[]> {
  return await reader.many(
    Live,
    sql`
      select i.tenant_id, i.collection_id, i.version, i.embedding_profile, i.table_id, c.language,
        i.state
      from retrieval.index_versions i
      join retrieval.collections c on c.tenant_id = i.tenant_id and c.id = i.collection_id
      where i.tenant_id = ${tenant_id} and i.collection_id = ${collection_id}
        and i.state in ('building', 'ready', 'active', 'retired')
      order by i.version`,
  )
}
