/**
 * Reads a served document again with the present pipeline, as its next version from the same
 * source. The served version stays until the new one is ready, and for good if that fails.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { pipeline_version } from './pipeline.ts'
import { submitJob } from './submit-job.ts'

const Next = Type.Object({
  version: Type.Integer(),
  collection_id: Type.String(),
  created_by: Type.String(),
})

/** Does nothing if the pipeline is the same, or if another version is on its way. */
export async function renewVersion(
  deps: Pick<Deps, 'kernel' | 'jobs'>,
  tenant_id: string,
  document_id: string,
): Promise<void> {
  await deps.kernel.db.tx(async tx => {
    const next = await tx.maybe(
      Next,
      sql`
        update retrieval.documents d set latest_version = d.latest_version + 1
        from retrieval.document_versions v
        where d.tenant_id = ${tenant_id} and d.id = ${document_id} and d.deleted_at is null
          and v.tenant_id = d.tenant_id and v.document_id = d.id and v.version = d.current_version
          and v.pipeline_version is distinct from ${pipeline_version} and not v.source_lost
          and not exists (select from retrieval.ingestion_jobs j
            where j.tenant_id = d.tenant_id and j.document_id = d.id and j.kind = 'ingest'
              and j.completed_at is null)
        returning d.latest_version as version, d.collection_id, v.created_by`,
    )
    if (!next) return
    const { version: document_version, collection_id, created_by: submitter_id } = next
    // What was fetched is fetched again, because its bytes belong to one version.
    await tx.run(sql`
      insert into retrieval.document_versions (tenant_id, document_id, version, input_text, file_id,
        fetch_uri, content_type, title, metadata, source_version, checksum, created_by)
      select v.tenant_id, v.document_id, ${document_version}, v.input_text, v.file_id, v.fetch_uri,
        v.content_type, v.title, v.metadata, case when v.fetch_uri is null then v.source_version end,
        case when v.fetch_uri is null then v.checksum end, v.created_by
      from retrieval.document_versions v
      join retrieval.documents d on d.tenant_id = v.tenant_id and d.id = v.document_id
        and d.current_version = v.version
      where v.tenant_id = ${tenant_id} and v.document_id = ${document_id}`)
    const order = { tenant_id, kind: 'ingest', collection_id, document_id } as const
    await submitJob(tx, deps, { ...order, document_version, submitter_id })
  })
}
