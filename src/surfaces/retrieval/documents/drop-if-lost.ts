/**
 * Deletes a document whose file is gone: the file of its newest version, or the file of the served
 * version, if no newer version is being made.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { dropDocument } from './delete-document.ts'

const Lost = Type.Object({
  id: Type.String(),
  collection_id: Type.String(),
  version: Type.Integer(),
  created_by: Type.String(),
})

/**
 * The caller has locked the document with an earlier statement, so that either the loss of the file
 * or the end of the job sees the other.
 */
export async function dropIfLost(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  { tenant_id, id }: { readonly tenant_id: string; readonly id: string },
  file_id: string | null = null,
): Promise<void> {
  const lost = await tx.maybe(
    Lost,
    sql`
      select d.id, d.collection_id, d.version, d.created_by from retrieval.documents d
      where d.tenant_id = ${tenant_id} and d.id = ${id} and d.deleted_at is null
        and (d.file_id = ${file_id} or exists (
          select from retrieval.document_versions v
          where v.tenant_id = d.tenant_id and v.document_id = d.id and v.source_lost
            and v.version = d.current_version and not exists (
              select from retrieval.ingestion_jobs j
              where j.tenant_id = v.tenant_id and j.document_id = v.document_id
                and j.kind = 'ingest' and j.completed_at is null
                and j.document_version > v.version)))`,
  )
  if (!lost) return
  const { created_by: submitter_id, ...document } = lost
  await dropDocument(tx, deps, { tenant_id, ...document, submitter_id })
}
