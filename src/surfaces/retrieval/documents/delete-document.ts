/**
 * Deletes a document. After this commit it is not found or quoted, and stored answers that quote it
 * lose their text. The ledger lists what the purge job must still erase.
 */
import { Type } from 'typebox'
import { sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { announce } from '../events.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import { lockDocument } from './find-document.ts'

/**
 * Returns the id of the purge job. If the document was deleted before, returns the id of the
 * earlier job.
 */
export async function deleteDocument(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  caller: Caller,
  submitter_id: string,
  id: string,
): Promise<string | null> {
  const { tenant_id } = caller
  const document = await lockDocument(tx, caller, id, 'write')
  if (document.deleted) return document.purge_job_id
  const { collection_id, version } = document
  return await dropDocument(tx, deps, { tenant_id, id, collection_id, version, submitter_id })
}

export type Dropped = {
  readonly tenant_id: string
  readonly id: string
  readonly collection_id: string
  readonly version: number
  readonly submitter_id: string
}

/** The same for a caller that has locked the row and checked the right to delete it. */
export async function dropDocument(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  { tenant_id, id, collection_id, version, submitter_id }: Dropped,
): Promise<string> {
  const job_id = await submitJob(tx, deps, {
    tenant_id,
    kind: 'purge',
    collection_id,
    document_id: id,
    submitter_id,
  })
  await hideDocument(tx, { tenant_id, id, collection_id, version, purge_job_id: job_id })
  await cancelIngestion(tx, deps, tenant_id, sql`j.document_id = ${id}`)
  return job_id
}

const Job = Type.Object({ id: Type.String() })

/** After the document is hidden, so that a job that ends meanwhile does not change it any more. */
export async function cancelIngestion(
  tx: Tx,
  { jobs }: Pick<Deps, 'jobs'>,
  tenant_id: string,
  which: Sql,
): Promise<void> {
  const running = await tx.many(
    Job,
    sql`
      select j.id from retrieval.ingestion_jobs j
      where j.tenant_id = ${tenant_id} and j.kind <> 'purge' and j.completed_at is null and ${which}
      order by j.id`,
  )
  for (const { id: job_id } of running) await jobs.cancel(tx, { tenant_id, job_id })
}

/** No separate job is submitted, because a deleted collection has one job for all its documents. */
export async function hideDocument(
  tx: Tx,
  document: Omit<Dropped, 'submitter_id'> & { readonly purge_job_id: string },
): Promise<void> {
  const { tenant_id, id, collection_id, version, purge_job_id } = document
  await tx.run(sql`
    update retrieval.documents set state = 'deleted', deleted_at = kernel.now(), title = null,
      source_uri = null, metadata = '{}', checksum = null, version = version + 1,
      purge_job_id = ${purge_job_id}, due_at = null
    where tenant_id = ${tenant_id} and id = ${id}`)
  await tx.run(sql`
    with quoting as (
      update retrieval.answers a set state = 'redacted', response_ref = null
      where a.tenant_id = ${tenant_id} and a.state = 'completed' and a.id in (
        select c.answer_id from retrieval.citations c
        where c.tenant_id = ${tenant_id} and c.document_id = ${id})
      returning a.id
    )
    update retrieval.answer_texts t set text = null
    from quoting q where t.tenant_id = ${tenant_id} and t.id = q.id`)
  await tx.run(sql`
    insert into retrieval.purge_ledger (tenant_id, document_id, projection, index_version)
    select ${tenant_id}, ${id}, p.projection, p.index_version from (
      select 'index' as projection, i.version as index_version from retrieval.index_versions i
      where i.tenant_id = ${tenant_id} and i.collection_id = ${collection_id}
        and i.state in ('building', 'ready', 'active', 'retired')
      union all select projection, 0 from unnest(
        array['canonical_text', 'chunk_text', 'embedding_cache', 'answers']) projection) p
    on conflict do nothing`)
  const of = { tenant_id, aggregate_type: 'document', id, version: version + 1 } as const
  announce(tx, 'document.deleted', of, { document_id: id, collection_id })
}
