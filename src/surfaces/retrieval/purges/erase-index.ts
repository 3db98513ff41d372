/**
 * Removes deleted documents from the index tables. An engine keeps the bytes of a deleted row in
 * its files. So the live rows are copied to a new table, readers are pointed to it, and the old
 * table is dropped. For large tables this runs at most once an hour. The row of the index version
 * names the other table as long as it is there: if the process ends, the next attempt drops it.
 */
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { liveVersions, tableOf, type IndexVersion } from '../indexes/index-versions.ts'
import { dropVersion } from '../indexes/drop-version.ts'
import { extendLease, withWriter, type Writing } from '../indexes/writer.ts'

export type PurgedDocument = { readonly id: string; readonly no: number }
type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>
/** Extended while the copy goes on. */
const copy_lease_seconds = 120
const Wait = Type.Object({ seconds: Type.Integer(), has_leftover: Type.Boolean() })
const Leftover = Type.Object({ leftover_table_id: Type.String() })
const Version = Type.Object({ version: Type.Integer() })

/** Returns how long to wait until the remaining bytes may be removed; 0 if none remain. */
export async function eraseFromIndexes(
  deps: Needed,
  tenant_id: string,
  collection_id: string,
  documents: readonly PurgedDocument[],
): Promise<number> {
  let wait_seconds = 0
  await dropFailed(deps, tenant_id, collection_id)
  for (const target of await liveVersions(deps.kernel.db, tenant_id, collection_id)) {
    await withWriter(deps, target, async ({ table, lease }) => {
      for (const { no } of documents) await deps.index.deleteByDocument(table, no, lease)
    })
    wait_seconds = Math.max(wait_seconds, await copyLiveRows(deps, target))
  }
  if (wait_seconds === 0) await closeLedger(deps, tenant_id, documents)
  return wait_seconds
}

/** Their tables have rows of the documents too, and no writer removes them. */
async function dropFailed(deps: Needed, tenant_id: string, collection_id: string): Promise<void> {
  const failed = await deps.kernel.db.many(
    Version,
    sql`
      select version from retrieval.index_versions
      where tenant_id = ${tenant_id} and collection_id = ${collection_id} and state = 'failed'`,
  )
  for (const { version } of failed) {
    await dropVersion(deps, { tenant_id, collection_id, version }, ['failed'])
  }
}

const at = ({ tenant_id, collection_id, version }: IndexVersion) => sql`
  tenant_id = ${tenant_id} and collection_id = ${collection_id} and version = ${version}`

async function copyLiveRows(deps: Needed, target: IndexVersion): Promise<number> {
  const { db, settings } = deps.kernel
  const { seconds, has_leftover } = await db.one(
    Wait,
    sql`
      select leftover_table_id is not null as has_leftover,
        coalesce(greatest(0, ceil(extract(epoch from purged_at - now())
          + ${settings['retrieval.purge_every_seconds']}::float8)), 0)::int as seconds
      from retrieval.index_versions where tenant_id = ${target.tenant_id} and ${at(target)}`,
  )
  if (has_leftover) await withWriter(deps, target, () => dropLeftover(deps, target))
  if (seconds > 0) return seconds
  const move = (writing: Writing) => moveRows(deps, target, writing)
  return (await withWriter(deps, target, move, copy_lease_seconds)) === false ? 1 : 0
}

/** Only the writer of the table calls it. Returns false if its lease has ended. */
async function moveRows(deps: Needed, target: IndexVersion, writing: Writing): Promise<boolean> {
  const { table, table_id, token } = writing
  const { db, fault } = deps.kernel
  const { tenant_id } = target
  const held = sql`tenant_id = ${tenant_id} and ${at(target)} and writer_token = ${token}
    and writer_until > now() and state <> 'dropped'`
  await dropLeftover(deps, target)
  const next_id = newId()
  const named = await db.run(sql`
    update retrieval.index_versions set leftover_table_id = ${next_id}
    where tenant_id = ${tenant_id} and ${held}`)
  if (named === 0) return false
  await extendLease(deps, target, writing, copy_lease_seconds, lease =>
    deps.index.copy(table, tableOf(next_id), lease),
  )
  await fault('retrieval.after_copy')
  const moved = await db.run(sql`
    update retrieval.index_versions
    set table_id = ${next_id}, leftover_table_id = ${table_id}, purged_at = now()
    where tenant_id = ${tenant_id} and ${held}`)
  await fault('retrieval.after_move')
  // Without the lease, another writer may have forgotten this table already.
  if (moved === 0) await deps.index.drop(tableOf(next_id))
  else await dropLeftover(deps, target)
  return moved === 1
}

async function dropLeftover({ kernel: { db }, index }: Needed, target: IndexVersion) {
  const { tenant_id } = target
  const left = await db.maybe(
    Leftover,
    sql`
      select leftover_table_id from retrieval.index_versions
      where tenant_id = ${tenant_id} and ${at(target)} and leftover_table_id is not null`,
  )
  if (!left) return
  await index.drop(tableOf(left.leftover_table_id))
  await db.run(sql`
    update retrieval.index_versions set leftover_table_id = null
    where tenant_id = ${tenant_id} and ${at(target)}
      and leftover_table_id = ${left.leftover_table_id}`)
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
  await dropFailed(deps, tenant_id, collection_id)
  for (const target of await liveVersions(db, tenant_id, collection_id)) {
    await dropVersion(deps, target, ['building', 'ready', 'active', 'retired', 'failed'])
  }
  await db.run(sql`
    update retrieval.purge_ledger l set erased_at = kernel.now(), done_at = kernel.now()
    from retrieval.documents d
    where l.tenant_id = ${tenant_id} and l.projection = 'index' and l.done_at is null
      and d.tenant_id = l.tenant_id and d.id = l.document_id
      and d.collection_id = ${collection_id}`)
}
