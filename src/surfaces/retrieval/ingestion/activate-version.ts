/**
 * Activates a document version: state, event and the end of the job are one transaction. The rows
 * of the earlier version are hidden by the same commit, because every hit is compared with
 * `current_version`; a queue removes them. An older job that ends late changes nothing.
 */
import { Type } from 'typebox'
import { JobFailure, nullable, sql, type Tx } from '#dodeca/kernel'
import { topics } from '../deps.ts'
import { announce } from '../events.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import type { IngestedVersion } from './read-version.ts'

/** An index version was created after the rows were written. */
export class IndexAppeared extends Error {
  override readonly name = 'IndexAppeared'
}

const Locked = Type.Object({
  deleted: Type.Boolean(),
  current_version: nullable(Type.Integer()),
  acl_set_id: Type.Integer(),
  version: Type.Integer(),
})

export type Written = ReadonlyMap<number, number>

/**
 * `written` contains, for each index version, the list of readers with which the rows were written.
 */
export async function activateVersion(
  tx: Tx,
  ingested: IngestedVersion,
  chunks: number,
  written: Written,
): Promise<void> {
  const { tenant_id, document_id, collection_id, version } = ingested
  // A reindex locks the collection before it creates its version.
  await tx.run(sql`
    select from retrieval.collections
    where tenant_id = ${tenant_id} and id = ${collection_id} for share`)
  const live = await liveVersions(tx, tenant_id, collection_id)
  if (live.some(one => !written.has(one.version))) throw new IndexAppeared()
  const document = await tx.one(
    Locked,
    sql`
      select deleted_at is not null as deleted, current_version, acl_set_id, version
      from retrieval.documents where tenant_id = ${tenant_id} and id = ${document_id} for update`,
  )
  if (document.deleted) throw new JobFailure('document_deleted')
  if (document.current_version !== null && document.current_version >= version) return
  const moved = [...written.values()].some(set => set !== document.acl_set_id)
  const due = moved || document.current_version !== null
  await tx.run(sql`
    update retrieval.documents d set state = 'ready', current_version = ${version},
      title = coalesce(v.title, d.title), metadata = v.metadata, checksum = v.checksum,
      source_version = v.source_version, chunk_count = ${chunks}, error_code = null,
      version = d.version + 1, due_at = case when ${due} then kernel.now() else d.due_at end,
      attempts = case when ${due} then 0 else d.attempts end,
      lease_token = case when ${due} then null else d.lease_token end,
      leased_until = case when ${due} then null else d.leased_until end
    from retrieval.document_versions v
    where d.tenant_id = ${tenant_id} and d.id = ${document_id} and v.tenant_id = d.tenant_id
      and v.document_id = d.id and v.version = ${version}`)
  if (due) tx.wake(topics.projections)
  const of = {
    tenant_id,
    aggregate_type: 'document',
    id: document_id,
    version: document.version + 1,
  } as const
  announce(tx, 'document.indexed', of, { document_id, collection_id, version, chunks })
}
