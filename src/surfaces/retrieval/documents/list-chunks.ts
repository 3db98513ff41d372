/**
 * The text of a document as answers quote it: its chunks in order. As in a search, only the version
 * that is served now is shown, and only to a caller who may read the document at this moment.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, page, sql, type List, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { isPresentTo, mayCollection } from '../access/rights.ts'
import { Range } from '../answers/schemas.ts'

export const Chunk = Type.Object(
  {
    id: Id,
    document_version: Type.Integer(),
    ordinal: Type.Integer(),
    page: nullable(Type.Integer()),
    /** Of the text of the document; neighbours may overlap. */
    range: Range,
    text: Type.String(),
  },
  { title: 'Chunk' },
)
const Row = Type.Object({
  ...Type.Omit(Chunk, ['range']).properties,
  char_start: Type.Integer(),
  char_end: Type.Integer(),
})

export async function listChunks(reader: Reader, scope: List, caller: Caller, document_id: string) {
  return await page(reader, {
    scope,
    row: Row,
    place: ['ordinal', 'id'],
    view: ({ char_start: start, char_end: end, ...chunk }): Static<typeof Chunk> => ({
      ...chunk,
      range: { start, end },
    }),
    // The access list is part of the statement, because it can change after the document was found.
    fetch: ({ ordinal, id }, n) => sql`
      select k.id, k.document_version, k.ordinal, k.page, k.char_start, k.char_end, t.text
      from retrieval.documents d
      join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      join retrieval.chunks k on k.tenant_id = d.tenant_id and k.document_id = d.id
        and k.document_version = d.current_version
      join retrieval.chunk_texts t on t.tenant_id = k.tenant_id and t.id = k.text_ref
      where d.tenant_id = ${caller.tenant_id} and d.id = ${document_id}
        and ${mayCollection(caller, 'read')} and ${isPresentTo(caller)}
        and (${ordinal}::int is null or (k.ordinal, k.id) > (${ordinal}::int, ${id}::uuid))
      order by k.ordinal, k.id limit ${n}`,
  })
}
