/**
 * Submits a job of retrieval. Its own row and the job of the engine have one id and one
 * transaction.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { JobKind } from './stages.ts'

export type NewJob = {
  readonly tenant_id: string
  readonly kind: JobKind
  readonly collection_id: string
  readonly submitter_id: string
  readonly document_id?: string
  readonly document_version?: number
  readonly connector_id?: string
  readonly index_version?: number
  readonly id?: string
}

/** Returns the id of the job. */
export async function submitJob(
  tx: Tx,
  { jobs }: Pick<Deps, 'jobs'>,
  order: NewJob,
): Promise<string> {
  const { tenant_id, kind, collection_id, submitter_id, id = newId() } = order
  await tx.run(sql`
    insert into retrieval.ingestion_jobs (tenant_id, id, kind, collection_id, document_id,
      document_version, connector_id, index_version, submitter_id)
    values (${tenant_id}, ${id}, ${kind}, ${collection_id}, ${order.document_id ?? null},
      ${order.document_version ?? null}, ${order.connector_id ?? null},
      ${order.index_version ?? null}, ${submitter_id})`)
  // The submitter also reads it as a job. Other kinds go on without the person who began them.
  const owner = kind === 'ingest' ? { principal_id: submitter_id } : {}
  await jobs.submit(tx, { tenant_id, type: `retrieval.${kind}`, parameters: {}, id, ...owner })
  return id
}
