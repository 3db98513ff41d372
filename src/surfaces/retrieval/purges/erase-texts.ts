/** Erases what PostgreSQL and the object store hold of a deleted document, and closes its ledger rows. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'

const Blob = Type.Object({ blob_key: Type.String() })

export async function eraseTexts(
  { kernel: { db, objects } }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  document_id: string,
): Promise<void> {
  const blobs = await db.many(
    Blob,
    sql`
      select blob_key from retrieval.document_versions
      where tenant_id = ${tenant_id} and document_id = ${document_id} and blob_key is not null`,
  )
  for (const { blob_key } of blobs) await objects.delete(blob_key)
  await db.tx(async tx => {
    await tx.run(sql`
      delete from retrieval.document_versions
      where tenant_id = ${tenant_id} and document_id = ${document_id}`)
    await tx.run(sql`
      delete from retrieval.embeddings e using retrieval.chunks c
      where e.tenant_id = ${tenant_id} and c.tenant_id = e.tenant_id
        and c.document_id = ${document_id} and e.content_hash = c.content_hash
        and not exists (select from retrieval.chunks o
          where o.tenant_id = c.tenant_id and o.content_hash = c.content_hash
            and o.document_id <> c.document_id)`)
    await tx.run(sql`
      with gone as (
        delete from retrieval.chunks c
        where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
        returning c.id, c.text_ref
      ), texts as (
        delete from retrieval.chunk_texts t using gone
        where t.tenant_id = ${tenant_id} and t.id = gone.text_ref
      )
      delete from retrieval.embedding_records r using gone
      where r.tenant_id = ${tenant_id} and r.chunk_id = gone.id`)
    await tx.run(sql`
      update retrieval.answer_texts t set text = null from retrieval.citations q
      where t.tenant_id = ${tenant_id} and q.tenant_id = t.tenant_id
        and q.document_id = ${document_id} and q.answer_id = t.id and t.text is not null`)
    await tx.run(sql`
      update retrieval.purge_ledger set erased_at = kernel.now(), done_at = kernel.now()
      where tenant_id = ${tenant_id} and document_id = ${document_id}
        and projection <> 'index' and done_at is null`)
  })
}
