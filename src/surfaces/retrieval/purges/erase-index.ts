/**
 * Removes deleted documents from the index tables. An engine keeps the bytes of a deleted row in
 * its files. So the live rows are copied to a new table, readers are pointed to it, and the old
 * table is dropped. For large tables this runs at most once an hour.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deps } from '../deps.ts'
import { liveVersions, tableOf, type IndexVersion } from '../indexes/index-versions.ts'
import { withWriter } from '../indexes/writer.ts'

export type PurgedDocument = { readonly id: string; readonly no: number }
type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>
const copy_seconds = 600
const Wait = Type.Object({ seconds: Type.Integer() })

/** Returns how long to wait until the remaining bytes may be removed; 0 if none remain. */
export async function eraseFromIndexes(
  deps: Needed,
  tenant_id: string,
  collection_id: string,
  documents: readonly PurgedDocument[],
): Promise<number> {
  let wait_seconds = 0
  for (const target of await liveVersions(deps.kernel.db, tenant_id, collection_id)) {
    await withWriter(deps, target, async ({ table, lease }) => {
      for (const { no } of documents) await deps.index.deleteByDocument(table, no, lease)
    })
    wait_seconds = Math.max(wait_seconds, await copyLiveRows(deps, target))
  }
  if (wait_seconds === 0) await closeLedger(deps, tenant_id, documents)
  return wait_seconds
}

async function copyLiveRows(deps: Needed, target: IndexVersion): Promise<number> {
  const { db, settings } = deps.kernel
  const { tenant_id, collection_id, version } = target
  const at = sql`tenant_id = ${tenant_id} and collection_id = ${collection_id}
    and version = ${version}`
  const { seconds } = await db.one(
    Wait,
    sql`
      select coalesce(greatest(0, ceil(extract(epoch from purged_at - now())
        + ${settings['retrieval.purge_every_seconds']}::float8)), 0)::int as seconds
      from retrieval.index_versions where tenant_id = ${tenant_id} and ${at}`,
  )
  if (seconds > 0) return seconds
  const copy = async () =>
    await withWriter(
      deps,
      target,
      async ({ table, token, lease }) => {
        const table_id = newId()
        await deps.index.copy(table, tableOf(table_id), lease)
        const flipped = await db.run(sql`
          update retrieval.index_versions set table_id = ${table_id}, purged_at = now()
          where tenant_id = ${tenant_id} and ${at} and writer_token = ${token}
            and writer_until > now()`)
        await deps.index.drop(flipped === 1 ? table : tableOf(table_id))
        return flipped === 1
      },
      copy_seconds,
    )
  return (await copy()) === false ? 1 : 0
}

async function closeLedger(
  { kernel: { db } }: Needed,
  tenant_id: string,
  documents: readonly PurgedDocument[],
): Promise<void> {
  await db.run(sql`
    update retrieval.purge_ledger set erased_at = kernel.now(), done_at = kernel.now()
    where tenant_id = ${tenant_id} and document_id = any(${documents.map(one => one.id)}::uuid[])
      and projection = 'index' and done_at is null`)
}

/** All index versions of a deleted collection. */
export async function dropIndexes(
  deps: Needed,
  tenant_id: string,
  collection_id: string,
): Promise<void> {
  const { db } = deps.kernel
  for (const { version, table_id } of await liveVersions(db, tenant_id, collection_id)) {
    await deps.index.drop(tableOf(table_id))
    await db.run(sql`
      update retrieval.index_versions set state = 'dropped'
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and version = ${version}`)
  }
  await db.run(sql`
    update retrieval.purge_ledger l set erased_at = kernel.now(), done_at = kernel.now()
    from retrieval.documents d
    where l.tenant_id = ${tenant_id} and l.projection = 'index' and l.done_at is null
      and d.tenant_id = l.tenant_id and d.id = l.document_id
      and d.collection_id = ${collection_id}`)
}
