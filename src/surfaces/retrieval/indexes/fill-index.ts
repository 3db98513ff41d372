/**
 * Writes every served document to one index version, in the order of their numbers. Documents that
 * change meanwhile are written by their own jobs. If a document changed while it was written here,
 * the rows of the older version are removed again.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { renewVersion } from '../ingestion/renew-version.ts'
import { writeVersion } from '../ingestion/write-index.ts'
import type { IndexVersion } from './index-versions.ts'
import { withWriter } from './writer.ts'

const portion = 100
const Served = Type.Object({
  id: Type.String(),
  no: Type.Integer(),
  current_version: Type.Integer(),
})
const Now = Type.Object({ current_version: nullable(Type.Integer()), deleted: Type.Boolean() })
const Count = Type.Object({ n: Type.Integer() })

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>

export async function countServed({ kernel: { db } }: Needed, target: IndexVersion) {
  const { tenant_id, collection_id } = target
  const { n } = await db.one(
    Count,
    sql`
      select count(*)::int as n from retrieval.documents
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and deleted_at is null and current_version is not null`,
  )
  return n
}

/** `report` gets the last document number of each portion, from which another job can continue. */
export async function fillIndex(
  deps: Needed & Pick<Deps, 'jobs'>,
  target: IndexVersion,
  after: number,
  signal: AbortSignal,
  report: (after: number, many: number) => Promise<void>,
): Promise<void> {
  const { tenant_id, collection_id } = target
  for (let last = after; ;) {
    const rows = await deps.kernel.db.many(
      Served,
      sql`
        select id, no, current_version from retrieval.documents
        where tenant_id = ${tenant_id} and collection_id = ${collection_id}
          and deleted_at is null and current_version is not null and no > ${last}
        order by no limit ${portion}`,
    )
    for (const row of rows) {
      await writeServed(deps, target, row, signal)
      await renewVersion(deps, tenant_id, row.id)
      await deps.kernel.fault('retrieval.in_reindex')
    }
    if (rows.length === 0) return
    last = rows.at(-1)?.no ?? last
    await report(last, rows.length)
  }
}

/**
 * Writes the documents with these numbers that a table lacks: no backup and no archive of a tenant
 * has the tables of the engine.
 */
export async function fillMissing(
  deps: Needed,
  target: IndexVersion,
  nos: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const { tenant_id, collection_id } = target
  const rows = await deps.kernel.db.many(
    Served,
    sql`
      select id, no, current_version from retrieval.documents
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and deleted_at is null and current_version is not null and no = any(${nos}::bigint[])
      order by no`,
  )
  for (const row of rows) await writeServed(deps, target, row, signal)
}

async function writeServed(
  deps: Needed,
  target: IndexVersion,
  { id: document_id, no, current_version: version }: Static<typeof Served>,
  signal: AbortSignal,
): Promise<void> {
  const place = { tenant_id: target.tenant_id, document_id, version }
  await writeVersion(deps, place, target, signal)
  await removeStale(deps, target, place, no)
}

async function removeStale(
  deps: Needed,
  target: IndexVersion,
  written: { tenant_id: string; document_id: string; version: number },
  no: number,
): Promise<void> {
  const now = await deps.kernel.db.maybe(
    Now,
    sql`
      select current_version, deleted_at is not null as deleted from retrieval.documents
      where tenant_id = ${written.tenant_id} and id = ${written.document_id}`,
  )
  const below = now?.deleted === false ? (now.current_version ?? 0) : undefined
  if (below === written.version) return
  await withWriter(deps, target, ({ table, lease }) =>
    deps.index.deleteByDocument(table, no, lease, below),
  )
}
