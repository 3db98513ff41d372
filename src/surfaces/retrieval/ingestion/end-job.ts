/** Ends a job of retrieval: its own row and its document change in the transaction that ends it. */
import { Type } from 'typebox'
import { nullable, sql, type EndedJob, type JobIdentity, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { dropIfLost } from '../documents/drop-if-lost.ts'
import { announce } from '../events.ts'

const Ended = Type.Object({
  kind: Type.String(),
  document_id: nullable(Type.String()),
  document_version: nullable(Type.Integer()),
  collection_id: Type.String(),
  index_version: nullable(Type.Integer()),
})

const Document = Type.Object({ id: Type.String() })
const Failed = Type.Object({ version: Type.Integer() })

export async function endJob(
  tx: Tx,
  { tenant_id, id, state, error_code }: EndedJob,
): Promise<void> {
  const ended = await tx.maybe(
    Ended,
    sql`
      update retrieval.ingestion_jobs set state = ${state}, error_code = ${error_code},
        completed_at = kernel.now()
      where tenant_id = ${tenant_id} and id = ${id}
      returning kind, document_id, document_version, collection_id, index_version`,
  )
  if (!ended || state === 'succeeded') return
  // The sweep drops its table.
  if (ended.kind === 'reindex') {
    await tx.run(sql`
      update retrieval.index_versions set state = 'failed'
      where tenant_id = ${tenant_id} and collection_id = ${ended.collection_id}
        and version = ${ended.index_version} and state = 'building'`)
  }
  if (ended.kind !== 'ingest') return
  const { document_id, collection_id } = ended
  // After a failed update, the version before is still served.
  const failed = await tx.maybe(
    Failed,
    sql`
      update retrieval.documents d set version = d.version + 1, error_code = ${error_code ?? state},
        state = case when d.current_version is null then 'failed' else 'ready' end
      where d.tenant_id = ${tenant_id} and d.id = ${document_id} and d.deleted_at is null
        and d.latest_version = ${ended.document_version} returning d.version`,
  )
  if (!failed || document_id === null) return
  const of = { tenant_id, aggregate_type: 'document', id: document_id, ...failed } as const
  const code = error_code ?? state
  announce(tx, 'document.failed', of, { document_id, collection_id, error_code: code })
}

/** For ingestion: a failed version may leave a document whose file is gone meanwhile. */
export function endIngestion(deps: Pick<Deps, 'jobs'>) {
  return async (tx: Tx, ended: EndedJob): Promise<void> => {
    await endJob(tx, ended)
    if (ended.state === 'succeeded') return
    const { tenant_id, id } = ended
    const document = await tx.maybe(
      Document,
      sql`
        select d.id from retrieval.ingestion_jobs j
        join retrieval.documents d on d.tenant_id = j.tenant_id and d.id = j.document_id
        where j.tenant_id = ${tenant_id} and j.id = ${id} for no key update of d`,
    )
    if (document) await dropIfLost(tx, deps, { tenant_id, ...document })
  }
}

export async function reopenJob(tx: Tx, { tenant_id, id }: JobIdentity): Promise<void> {
  await tx.run(sql`
    update retrieval.ingestion_jobs set state = 'pending', error_code = null, completed_at = null
    where tenant_id = ${tenant_id} and id = ${id}`)
}
