/** Checks for `dodeca doctor` that retrieval's rows are consistent after every commit. */
import { Type } from 'typebox'
import { sql, type Check } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'

const Fault = Type.Object({ says: Type.String() })

type Needed = Pick<Kernel, 'db' | 'objects' | 'settings'>

export function checks(kernel: Needed): readonly Check[] {
  return [checkStore(kernel), checkRows(kernel)]
}

function checkStore({ objects, settings }: Needed): Check {
  return {
    name: 'retrieval_store',
    says: 'The object store creates an object only where there is none, as the search engine requires',
    run: async () => {
      if (settings['retrieval.engine'] === 'exact' || (await objects.createsOnce())) return []
      return [
        'The S3 store does not support `If-None-Match: *`, so no document can be searched. Use a store that does.',
      ]
    },
  }
}

function checkRows({ db }: Needed): Check {
  return {
    name: 'retrieval',
    says: 'Every collection has one active index, every served document has its chunks, every quote lies inside its chunk, and no vector outlives its chunks',
    run: async () => {
      const rows = await db.many(
        Fault,
        sql`
          -- any tenant: a check over all of them
          (select 'collection ' || c.id || ' does not search its active index version' as says
          from retrieval.collections c
          where c.state = 'active' and not exists (select from retrieval.index_versions i
            where i.tenant_id = c.tenant_id and i.collection_id = c.id and i.state = 'active'
              and i.version = c.active_index_version
              and i.embedding_profile = c.embedding_profile)
          limit 100)
          union all
          (select 'document ' || d.id || ' is served with ' || count(k.id) || ' of '
            || d.chunk_count || ' chunks'
          from retrieval.documents d
          left join retrieval.chunks k on k.tenant_id = d.tenant_id and k.document_id = d.id
            and k.document_version = d.current_version
          where d.deleted_at is null and d.current_version is not null
          group by d.tenant_id, d.id having count(k.id) <> d.chunk_count
          limit 100)
          union all
          (select 'citation ' || q.rank || ' of answer ' || q.answer_id || ' lies outside its chunk'
          from retrieval.citations q
          join retrieval.chunks k on k.tenant_id = q.tenant_id and k.id = q.chunk_id
          join retrieval.chunk_texts t on t.tenant_id = k.tenant_id and t.id = k.text_ref
          where upper(q.quoted_range) > char_length(t.text)
          limit 100)
          union all
          (select 'answer ' || a.id || ' is redacted and keeps its text'
          from retrieval.answers a
          join retrieval.answer_texts t on t.tenant_id = a.tenant_id and t.id = a.id
          where a.state = 'redacted' and t.text is not null
          limit 100)
          union all
          (select 'document ' || l.document_id || ' is purged and keeps texts'
          from retrieval.purge_ledger l
          where l.projection = 'chunk_text' and l.done_at is not null and exists (
            select from retrieval.chunks k
            where k.tenant_id = l.tenant_id and k.document_id = l.document_id)
          limit 100)
          union all
          (select 'a vector of ' || e.embedding_model_version || ' of tenant ' || e.tenant_id
            || ' has no chunk'
          from retrieval.embeddings e
          where not exists (select from retrieval.chunks k
            where k.tenant_id = e.tenant_id and k.content_hash = e.content_hash)
          limit 100)`,
      )
      return rows.map(row => row.says)
    },
  }
}
