/**
 * Removes a version that will not be served from the indexes and from PostgreSQL. Either the served
 * version has the same content, or the document was deleted while the version was made.
 */
import { Type } from 'typebox'
import { nullable, sql, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import { withWriter } from '../indexes/writer.ts'
import { eraseChunks } from './erase-chunks.ts'

const Discarded = Type.Object({
  document_id: Type.String(),
  document_version: Type.Integer(),
  collection_id: Type.String(),
  no: Type.Integer(),
  deleted: Type.Boolean(),
  blob_key: nullable(Type.String()),
})

export async function discardVersion(
  deps: Pick<Deps, 'kernel' | 'index' | 'profiles'>,
  { tenant_id, id }: Pick<RunningJob, 'tenant_id' | 'id'>,
): Promise<void> {
  const { db, objects } = deps.kernel
  const found = await db.maybe(
    Discarded,
    sql`
      select j.document_id, j.document_version, d.collection_id, d.no, v.blob_key,
        d.deleted_at is not null as deleted
      from retrieval.ingestion_jobs j
      join retrieval.documents d on d.tenant_id = j.tenant_id and d.id = j.document_id
      left join retrieval.document_versions v on v.tenant_id = d.tenant_id
        and v.document_id = d.id and v.version = j.document_version
      where j.tenant_id = ${tenant_id} and j.id = ${id}`,
  )
  if (!found) return
  const { document_id, document_version, collection_id, no, deleted, blob_key } = found
  if (deleted) {
    for (const target of await liveVersions(db, tenant_id, collection_id)) {
      await withWriter(deps, target, ({ table, lease }) =>
        deps.index.deleteByDocument(table, no, lease),
      )
    }
  }
  if (blob_key !== null) await objects.delete(blob_key)
  await removeVersions(deps, tenant_id, document_id, sql`v.version = ${document_version}`)
}

/** Chunks that an answer quotes keep their texts. */
export async function removeVersions(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  document_id: string,
  which: ReturnType<typeof sql>,
): Promise<void> {
  await db.tx(async tx => {
    const of_version = sql`c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
      and exists (select from retrieval.document_versions v where v.tenant_id = c.tenant_id
        and v.document_id = c.document_id and v.version = c.document_version and ${which})`
    await eraseChunks(
      tx,
      tenant_id,
      sql`${of_version} and not exists (select from retrieval.citations q
        where q.tenant_id = c.tenant_id and q.chunk_id = c.id)`,
    )
    await tx.run(sql`
      update retrieval.embedding_records r set state = 'superseded' from retrieval.chunks c
      where r.tenant_id = ${tenant_id} and r.tenant_id = c.tenant_id and r.chunk_id = c.id
        and r.state <> 'superseded' and ${of_version}`)
    await tx.run(sql`
      delete from retrieval.document_versions v
      where v.tenant_id = ${tenant_id} and v.document_id = ${document_id} and ${which}`)
  })
}
