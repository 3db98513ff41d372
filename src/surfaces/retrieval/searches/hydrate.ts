/**
 * Turns ids of an index into chunks that the caller may read now. The index may lag, so this
 * statement decides: the document exists, this version is served, and the current access list names
 * the caller.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { isPresentTo, mayCollection } from '../access/rights.ts'
import type { Metadata } from '../documents/schemas.ts'
import { Bytes } from '../schemas.ts'

export const Source = Type.Object({
  chunk_id: Type.String(),
  collection_id: Type.String(),
  document_id: Type.String(),
  document_version: Type.Integer(),
  source_kind: Type.String(),
  title: nullable(Type.String()),
  source_uri: nullable(Type.String()),
  page: nullable(Type.Integer()),
  page_starts: Type.Array(Type.Integer()),
  ordinal: Type.Integer(),
  context: Type.String(),
  text: Type.String(),
  content_hash: Bytes,
  metadata: Type.Unsafe<Metadata>(Type.Any()),
})
/** A chunk that may be shown or quoted. */
export type Source = Static<typeof Source>

/** In the order of the ids. Chunks that may not be shown are left out. */
export async function hydrate(
  reader: Reader,
  caller: Caller,
  chunk_ids: readonly string[],
): Promise<Source[]> {
  if (chunk_ids.length === 0) return []
  return await reader.many(
    Source,
    sql`
      select k.id as chunk_id, d.collection_id, k.document_id, k.document_version, d.source_kind,
        d.title, d.source_uri, k.page, k.page_starts, k.ordinal, k.context, t.text, k.content_hash, d.metadata
      from unnest(${chunk_ids}::uuid[]) with ordinality as w (id, place)
      join retrieval.chunks k on k.tenant_id = ${caller.tenant_id} and k.id = w.id
      join retrieval.chunk_texts t on t.tenant_id = k.tenant_id and t.id = k.text_ref
      join retrieval.documents d on d.tenant_id = k.tenant_id and d.id = k.document_id
        and d.current_version = k.document_version
      join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      where ${isPresentTo(caller)} and ${mayCollection(caller, 'read')}
      order by w.place`,
  )
}

const Count = Type.Object({ n: Type.Integer() })

/** Whether all these chunks may still be shown, with the same conditions as `hydrate`. */
export async function allReadable(
  reader: Reader,
  caller: Caller,
  chunk_ids: readonly string[],
): Promise<boolean> {
  const { n } = await reader.one(
    Count,
    sql`
      select count(*)::int as n from retrieval.chunks k
      join retrieval.documents d on d.tenant_id = k.tenant_id and d.id = k.document_id
        and d.current_version = k.document_version
      join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      where k.tenant_id = ${caller.tenant_id} and k.id = any(${chunk_ids}::uuid[])
        and ${isPresentTo(caller)} and ${mayCollection(caller, 'read')}`,
  )
  return n === new Set(chunk_ids).size
}
