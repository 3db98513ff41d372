/**
 * A stored answer as its reader may see it now. Quotes are cut from the chunks at this moment. If a
 * cited document is deleted or the reader may not read it, neither text nor quotes are shown.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, nullable, sql, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { isPresentTo, mayCollection } from '../access/rights.ts'
import { Answer, type Citation } from './schemas.ts'

const Stored = Type.Object({
  ...Type.Omit(Answer, ['citations']).properties,
  actor_id: Type.String(),
})
export type StoredAnswer = Static<typeof Stored>

const Cited = Type.Object({
  rank: Type.Integer(),
  chunk_id: Type.String(),
  document_id: Type.String(),
  document_version: Type.Integer(),
  title: nullable(Type.String()),
  source_uri: nullable(Type.String()),
  page: nullable(Type.Integer()),
  quote: nullable(Type.String()),
  start: Type.Integer(),
  end: Type.Integer(),
  answer_start: Type.Integer(),
  answer_end: Type.Integer(),
  readable: Type.Boolean(),
})

export async function findAnswer(
  reader: Reader,
  tenant_id: string,
  id: string,
): Promise<StoredAnswer | undefined> {
  return await reader.maybe(
    Stored,
    sql`
      select ${columnsOf(Stored, 'a', { text: sql`t.text` })} from retrieval.answers a
      left join retrieval.answer_texts t on t.tenant_id = a.tenant_id and t.id = a.id
      where a.tenant_id = ${tenant_id} and a.id = ${id}`,
  )
}

export async function answerView(
  reader: Reader,
  caller: Caller,
  { actor_id: _actor, ...stored }: StoredAnswer,
): Promise<Answer> {
  const cited = await readCitations(reader, caller, stored.id)
  const lost = stored.state === 'redacted' || cited.some(one => !one.readable)
  if (!lost) return { ...stored, citations: cited.map(shown) }
  const redacted = cited.map(({ rank }) => ({ ...nothing, rank, redacted: true }))
  return { ...stored, state: 'redacted', text: null, citations: redacted }
}

async function readCitations(reader: Reader, caller: Caller, answer_id: string) {
  return await reader.many(
    Cited,
    sql`
      select q.rank, q.chunk_id, q.document_id, q.document_version, d.title, d.source_uri,
        k.page + (select count(*)::int from unnest(k.page_starts) s
          where s <= lower(q.quoted_range)) as page,
        substring(t.text from lower(q.quoted_range) + 1
          for upper(q.quoted_range) - lower(q.quoted_range)) as quote,
        lower(q.quoted_range) as start, upper(q.quoted_range) as "end",
        lower(q.answer_range) as answer_start, upper(q.answer_range) as answer_end,
        coalesce(t.id is not null and ${isPresentTo(caller)} and ${mayCollection(caller, 'read')},
          false) as readable
      from retrieval.citations q
      left join retrieval.chunks k on k.tenant_id = q.tenant_id and k.id = q.chunk_id
      left join retrieval.chunk_texts t on t.tenant_id = k.tenant_id and t.id = k.text_ref
      left join retrieval.documents d on d.tenant_id = q.tenant_id and d.id = q.document_id
      left join retrieval.collections c on c.tenant_id = d.tenant_id and c.id = d.collection_id
      where q.tenant_id = ${caller.tenant_id} and q.answer_id = ${answer_id}
      order by q.rank`,
  )
}

const nothing: Omit<Citation, 'rank' | 'redacted'> = {
  chunk_id: null,
  document_id: null,
  document_version: null,
  title: null,
  source_uri: null,
  page: null,
  quoted_range: null,
  quote: null,
  answer_range: null,
}

function shown(row: Static<typeof Cited>): Citation {
  const { start, end, answer_start, answer_end, readable: _readable, ...rest } = row
  return {
    ...rest,
    redacted: false,
    quoted_range: { start, end },
    answer_range: { start: answer_start, end: answer_end },
  }
}
