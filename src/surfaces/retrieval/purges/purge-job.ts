/**
 * Erases the data made from a deleted document, or from all documents of a deleted collection: rows
 * and bytes of every index version, canonical text, chunks, vectors that nothing else uses, and
 * texts of answers. The ledger records progress. The job ends when nothing is left, and its result
 * is the receipt.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Db, type JobType, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { hideDocument } from '../documents/delete-document.ts'
import { endJob, reopenJob } from '../ingestion/end-job.ts'
import { NoParameters } from '../ingestion/ingest-job.ts'
import { announcePurged, readReceipt } from './receipt.ts'
import { dropIndexes, eraseFromIndexes } from './erase-index.ts'
import { eraseTexts } from './erase-texts.ts'

export function purgeJob(deps: Deps): JobType {
  return {
    type: 'retrieval.purge',
    schema_version: 1,
    parameters: NoParameters,
    lease_seconds: 60,
    // Bytes are removed from an index at most once an hour.
    timeout_seconds: 24 * 3600,
    max_attempts: 20,
    backoff: { base_ms: 1000, cap_ms: 300_000 },
    run: job => purge(deps, job),
    ended: endJob,
    reopened: reopenJob,
  }
}

const Purging = Type.Object({ collection_id: Type.String(), document_id: nullable(Type.String()) })

async function purge(deps: Deps, job: RunningJob): Promise<undefined> {
  const { db } = deps.kernel
  const { tenant_id, id } = job
  const { collection_id, document_id } = await db.one(
    Purging,
    sql`
      select collection_id, document_id from retrieval.ingestion_jobs
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
  // A job that is cancelled may still be writing.
  if (await isIngesting(db, tenant_id, collection_id, document_id)) job.again(1)
  if (document_id === null) await hideAll(deps, job, collection_id)
  await deps.kernel.fault('retrieval.before_purge')
  const documents = await openDocuments(db, tenant_id, collection_id, document_id)
  await job.progress({ stage: 'index', current: 0, total: documents.length })
  if (document_id === null) await dropIndexes(deps, tenant_id, collection_id)
  else {
    const wait_seconds = await eraseFromIndexes(deps, tenant_id, collection_id, documents)
    await deps.kernel.fault('retrieval.after_index_purge')
    for (const one of documents) await eraseTexts(deps, tenant_id, one.id)
    if (wait_seconds > 0) job.again(wait_seconds)
  }
  if (document_id === null) {
    for (const one of documents) {
      job.signal.throwIfAborted()
      await eraseTexts(deps, tenant_id, one.id)
    }
  }
  await job.commit(async tx => {
    for (const one of documents) await announcePurged(tx, tenant_id, one.id, collection_id)
    const receipt = await readReceipt(tx, tenant_id, documents.length === 1 ? document_id : null)
    await tx.run(sql`
      update retrieval.ingestion_jobs
      set result = ${sql.json({ documents: documents.length, projections: receipt })}
      where tenant_id = ${tenant_id} and id = ${id}`)
  })
  return undefined
}

const Count = Type.Object({ n: Type.Integer() })

async function isIngesting(
  db: Db,
  tenant_id: string,
  collection_id: string,
  document_id: string | null,
): Promise<boolean> {
  const { n } = await db.one(
    Count,
    sql`
      select count(*)::int as n from retrieval.ingestion_jobs
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and completed_at is null and kind in ('ingest', 'reindex', 'sync')
        and (${document_id}::uuid is null or document_id = ${document_id}::uuid)`,
  )
  return n > 0
}

const Doc = Type.Object({ id: Type.String(), no: Type.Integer(), version: Type.Integer() })

/** Handles every document of a deleted collection, one portion in each transaction. */
async function hideAll(deps: Deps, job: RunningJob, collection_id: string): Promise<void> {
  const { tenant_id } = job
  for (;;) {
    job.signal.throwIfAborted()
    const hidden = await deps.kernel.db.tx(async tx => {
      const rows = await tx.many(
        Doc,
        sql`
          select id, no, version from retrieval.documents
          where tenant_id = ${tenant_id} and collection_id = ${collection_id}
            and deleted_at is null
          order by id limit 100 for update`,
      )
      for (const { id, version } of rows) {
        await hideDocument(tx, { tenant_id, id, collection_id, version, purge_job_id: job.id })
      }
      return rows.length
    })
    if (hidden === 0) return
  }
}

/** Documents that are deleted but not completely erased. */
async function openDocuments(
  db: Db,
  tenant_id: string,
  collection_id: string,
  document_id: string | null,
): Promise<Static<typeof Doc>[]> {
  return await db.many(
    Doc,
    sql`
      select d.id, d.no, d.version from retrieval.documents d
      where d.tenant_id = ${tenant_id} and d.collection_id = ${collection_id}
        and d.deleted_at is not null
        and (${document_id}::uuid is null or d.id = ${document_id}::uuid)
        and exists (select from retrieval.purge_ledger l
          where l.tenant_id = d.tenant_id and l.document_id = d.id and l.done_at is null)
      order by d.id`,
  )
}
