/**
 * Compares index tables with the documents. Writes documents that a table lacks, and removes
 * leftovers of jobs and queues: rows of deleted documents and of versions that are not served, tables
 * of failed and old index versions, and answers whose process died.
 */
import { Type, type Static } from 'typebox'
import { JobFailure, nullable, sql, type Loop } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { IndexFailed, type IndexedDocument } from '../engines/index.ts'
import { dropVersion } from './drop-version.ts'
import { fillMissing } from './fill-index.ts'
import { liveVersions, type IndexVersion } from './index-versions.ts'
import { withTable } from './with-table.ts'
import { withWriter } from './writer.ts'

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>

const portion = 1000
const Version = Type.Object({
  tenant_id: Type.String(),
  collection_id: Type.String(),
  version: Type.Integer(),
  table_id: Type.String(),
})
const Doc = Type.Object({
  no: Type.Integer(),
  current_version: nullable(Type.Integer()),
  latest_version: Type.Integer(),
  chunk_count: Type.Integer(),
})

export function sweepLoop(deps: Needed): Loop {
  return {
    name: 'retrieval.sweep',
    every_ms: deps.kernel.settings['retrieval.sweep_seconds'] * 1000,
    run: async signal => {
      await dropOld(deps)
      for (let after = ['', '', 0] as readonly [string, string, number]; ;) {
        const [target] = await nextVersion(deps, after)
        if (!target || signal.aborted) return
        await sweepVersion(deps, target, signal).catch((error: unknown) => {
          if (!(error instanceof IndexFailed)) throw error
          deps.kernel.log.warn({ err: error }, 'an index could not be compared with its documents')
        })
        after = [target.tenant_id, target.collection_id, target.version]
      }
    },
  }
}

async function nextVersion(
  { kernel: { db } }: Needed,
  [tenant_id, collection_id, version]: readonly [string, string, number],
) {
  return await db.many(
    Version,
    sql`
      -- any tenant: a sweep
      select tenant_id, collection_id, version, table_id from retrieval.index_versions
      where state in ('ready', 'active', 'retired')
        and (tenant_id::text, collection_id::text, version)
          > (${tenant_id}, ${collection_id}, ${version}::int)
      order by tenant_id::text, collection_id::text, version limit 1`,
  )
}

async function sweepVersion(
  deps: Needed,
  {
    tenant_id,
    collection_id,
    version,
    table_id,
  }: Omit<IndexVersion, 'embedding_profile' | 'language' | 'state'>,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps.kernel
  const place = { tenant_id, collection_id, version }
  for (let from = 0; !signal.aborted;) {
    const kept = await db.many(
      Doc,
      sql`
        select no, case when deleted_at is null then current_version end as current_version,
          case when deleted_at is null then latest_version else 0 end as latest_version,
          chunk_count
        from retrieval.documents
        where tenant_id = ${tenant_id} and collection_id = ${collection_id} and no >= ${from}
        order by no limit ${portion}`,
    )
    const to = kept.at(-1)?.no
    if (to === undefined) break
    const known = new Map(kept.map(one => [one.no, one]))
    const rows = await withTable(deps, { ...place, table_id }, table =>
      deps.index.documents(table, from, to),
    )
    const stale = (rows ?? []).filter(row => {
      const document = known.get(row.document_no)
      if (!document || document.latest_version === 0) return true
      return row.document_version < (document.current_version ?? 0)
    })
    await writeMissing(deps, place, missingIn(kept, rows ?? []), signal)
    if (stale.length > 0) {
      await withWriter(deps, place, async ({ table, lease }) => {
        for (const row of stale) {
          const below = row.document_version + 1
          await deps.index.deleteByDocument(table, row.document_no, lease, below)
        }
      })
    }
    from = to + 1
  }
  await withTable(deps, { ...place, table_id }, table => deps.index.completeIndexes(table))
}

/** The numbers of served documents without rows of their version, or of a newer one. */
function missingIn(
  documents: readonly Static<typeof Doc>[],
  rows: readonly IndexedDocument[],
): number[] {
  const newest = new Map<number, number>()
  for (const { document_no, document_version } of rows) {
    newest.set(document_no, Math.max(document_version, newest.get(document_no) ?? 0))
  }
  return documents.flatMap(({ no, current_version, chunk_count }) =>
    current_version !== null && chunk_count > 0 && (newest.get(no) ?? 0) < current_version
      ? [no]
      : [],
  )
}

/** Only to versions that are searched, or are about to be. */
async function writeMissing(
  deps: Needed,
  {
    tenant_id,
    collection_id,
    version,
  }: Pick<IndexVersion, 'tenant_id' | 'collection_id' | 'version'>,
  nos: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  if (nos.length === 0) return
  const live = await liveVersions(deps.kernel.db, tenant_id, collection_id)
  const target = live.find(one => one.version === version)
  if (target?.state !== 'active' && target?.state !== 'ready') return
  await fillMissing(deps, target, nos, signal).catch((error: unknown) => {
    if (!(error instanceof JobFailure || error instanceof IndexFailed)) throw error
    deps.kernel.log.warn({ err: error }, 'an index lacks documents that could not be written')
  })
}

/** Versions that can no longer be activated. */
async function dropOld(deps: Needed): Promise<void> {
  const { db, settings, log } = deps.kernel
  const old = await db.many(
    Version,
    sql`
      -- any tenant: a sweep
      select tenant_id, collection_id, version, table_id from retrieval.index_versions
      where state = 'failed' or state = 'retired' and retired_at
        < kernel.now() - make_interval(days => ${settings['retrieval.rollback_days']})
      limit 100`,
  )
  for (const one of old) {
    await dropVersion(deps, one, ['failed', 'retired']).catch((error: unknown) => {
      if (!(error instanceof IndexFailed)) throw error
      log.warn({ err: error }, 'an index table could not be dropped')
    })
  }
}

/** Answers whose process died while it wrote them. */
export function reapLoop({ kernel: { db } }: Pick<Deps, 'kernel'>): Loop {
  return {
    name: 'retrieval.reap_answers',
    every_ms: 10_000,
    run: async () => {
      await db.run(sql`
        -- any tenant: a sweep
        update retrieval.answers set state = 'failed', error_code = 'internal_error',
          leased_until = null, completed_at = kernel.now()
        where state = 'running' and leased_until < now()`)
    },
  }
}
