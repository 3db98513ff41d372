/**
 * Erases the data of a deleted document in PostgreSQL and the object store, and closes its ledger
 * rows.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { eraseChunks } from '../ingestion/erase-chunks.ts'

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
    await eraseChunks(tx, tenant_id, sql`c.document_id = ${document_id}`)
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
