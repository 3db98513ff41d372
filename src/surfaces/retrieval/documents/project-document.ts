/**
 * Updates the rows of a document in all indexes: sets the current access list and keeps only the
 * served version. A transaction that changes the list or the served version makes the document due.
 */
import { Type } from 'typebox'
import { done, dueQueue, nullable, retry, sql, type DueQueue, type Reader } from '#dodeca/kernel'
import { topics, type Deps } from '../deps.ts'
import { IndexFailed } from '../engines/index.ts'
import { removeVersions } from '../ingestion/discard-version.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import { withWriter } from '../indexes/writer.ts'

const Row = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  collection_id: Type.String(),
  no: Type.Integer(),
  current_version: nullable(Type.Integer()),
})
const Now = Type.Object({
  acl_set_id: Type.Integer(),
  current_version: nullable(Type.Integer()),
})

const Blob = Type.Object({ blob_key: Type.String() })

export function projectionQueue(deps: Deps): DueQueue {
  return dueQueue({
    name: topics.projections,
    table: 'retrieval.documents',
    key: ['tenant_id', 'id'],
    row: Row,
    load: sql`t.collection_id, t.no, t.current_version`,
    where: sql`t.deleted_at is null`,
    batch: 20,
    concurrency: 2,
    lease_seconds: 120,
    retry: { first: 1, factor: 2, cap: 60 },
    run: async row => {
      const { tenant_id, id, collection_id, no, current_version } = row
      const { db } = deps.kernel
      try {
        for (const target of await liveVersions(db, tenant_id, collection_id)) {
          await withWriter(deps, target, async ({ table, lease }) => {
            // Read while the table is ours. With the list of the claim, a run that waited for the
            // table could write an older list after the current one.
            const now = await readNow(db, tenant_id, id)
            if (!now) return
            await deps.index.setAccess(table, no, now.acl_set_id, lease)
            if (now.current_version === null) return
            await deps.index.deleteByDocument(table, no, lease, now.current_version)
          })
        }
      } catch (error) {
        if (error instanceof IndexFailed) return retry('index_write_failed')
        throw error
      }
      if (current_version !== null) await removeSuperseded(deps, tenant_id, id, current_version)
      return done()
    },
  })
}

/** Undefined if the document was deleted meanwhile. */
async function readNow(reader: Reader, tenant_id: string, id: string) {
  return await reader.maybe(
    Now,
    sql`
      select acl_set_id, current_version from retrieval.documents
      where tenant_id = ${tenant_id} and id = ${id} and deleted_at is null`,
  )
}

async function removeSuperseded(
  deps: Pick<Deps, 'kernel'>,
  tenant_id: string,
  document_id: string,
  current_version: number,
): Promise<void> {
  const { db, objects } = deps.kernel
  const blobs = await db.many(
    Blob,
    sql`
      select v.blob_key from retrieval.document_versions v
      where v.tenant_id = ${tenant_id} and v.document_id = ${document_id}
        and v.version < ${current_version} and v.blob_key is not null`,
  )
  for (const { blob_key } of blobs) await objects.delete(blob_key)
  await removeVersions(deps, tenant_id, document_id, sql`v.version < ${current_version}`)
}
