/**
 * Compares a new index version with the active one, using the newest stored queries of the
 * collection.
 */
import { Type } from 'typebox'
import { sql, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { IndexVersion } from '../indexes/index-versions.ts'
import { evaluateIndex, type Measured } from './evaluate-index.ts'
import { Judged } from './schemas.ts'

const Stored = Type.Object({ queries: Type.Array(Judged) })

/** Null if no queries are stored. */
export async function evaluateStored(
  deps: Pick<Deps, 'kernel' | 'index' | 'profiles'>,
  job: RunningJob,
  live: readonly IndexVersion[],
  target: IndexVersion,
): Promise<(Measured & { before_ndcg_at_10: number | null }) | null> {
  const { tenant_id, collection_id } = target
  const stored = await deps.kernel.db.maybe(
    Stored,
    sql`
      select queries from retrieval.evaluations
      where tenant_id = ${tenant_id} and collection_id = ${collection_id} and stored
        and queries is not null
      order by id desc limit 1`,
  )
  if (!stored) return null
  const { queries } = stored
  const total = queries.length
  const report = (current: number) => job.progress({ stage: 'evaluate', current, total })
  await report(0)
  const measured = await evaluateIndex(deps, target, queries, job.signal, report)
  const active = live.find(one => one.state === 'active')
  const before = active && (await evaluateIndex(deps, active, queries, job.signal, report))
  return { ...measured, before_ndcg_at_10: before?.ndcg_at_10 ?? null }
}
