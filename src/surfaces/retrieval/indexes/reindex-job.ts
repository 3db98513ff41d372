/**
 * Fills a new index version. If the plan or stored queries require it, compares it with the active
 * one. Then makes it ready, and activates it in the same transaction if it is not worse than the
 * plan permits.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { JobFailure, oneOf, sql, type JobType, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { evaluateStored } from '../evaluations/evaluate-stored.ts'
import { endJob, reopenJob } from '../ingestion/end-job.ts'
import { NoParameters } from '../ingestion/ingest-job.ts'
import { openStages } from '../ingestion/stages.ts'
import { countServed, fillIndex } from './fill-index.ts'
import { liveVersions, type IndexVersion } from './index-versions.ts'
import { activations } from './schemas.ts'
import { switchIndex } from './switch-index.ts'
import { withTable } from './with-table.ts'
import { extendLease, withWriter } from './writer.ts'

const Order = Type.Object({
  collection_id: Type.String(),
  index_version: Type.Integer(),
  plan: Type.Object({ activation: oneOf(...activations), min_delta_ndcg: Type.Number() }),
})
/** Extended while many small files are merged. */
const compact_lease_seconds = 30
const Place = Type.Object({ after: Type.Integer(), done: Type.Integer() })

export function reindexJob(deps: Deps): JobType {
  return {
    type: 'retrieval.reindex',
    schema_version: 1,
    parameters: NoParameters,
    lease_seconds: 60,
    // A semantic profile embeds ten chunks a second on one core.
    timeout_seconds: 48 * 3600,
    max_attempts: 20,
    tenant_max_running: 2,
    run: job => run(deps, job),
    ended: endJob,
    reopened: reopenJob,
  }
}

async function run(deps: Deps, job: RunningJob): Promise<undefined> {
  const { db } = deps.kernel
  const { tenant_id, id } = job
  const { collection_id, index_version, plan } = await db.one(
    Order,
    sql`
      select j.collection_id, j.index_version, i.plan from retrieval.ingestion_jobs j
      join retrieval.index_versions i on i.tenant_id = j.tenant_id
        and i.collection_id = j.collection_id and i.version = j.index_version
      where j.tenant_id = ${tenant_id} and j.id = ${id}`,
  )
  const live = await liveVersions(db, tenant_id, collection_id)
  const target = live.find(one => one.version === index_version)
  if (!target) throw new JobFailure('index_write_failed')
  await fill(deps, job, target)
  const metrics = await evaluateStored(deps, job, live, target)
  const delta = metrics ? metrics.ndcg_at_10 - (metrics.before_ndcg_at_10 ?? 0) : null
  const good = delta === null || delta >= plan.min_delta_ndcg
  const result = { index_version, activated: plan.activation === 'after_evaluation' && good }
  await job.commit(async tx => {
    await tx.run(sql`
      select from retrieval.collections
      where tenant_id = ${tenant_id} and id = ${collection_id} for update`)
    const ready = await tx.run(sql`
      update retrieval.index_versions set state = 'ready', metrics = ${sql.json(metrics ?? null)}
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and version = ${index_version} and state = 'building'`)
    if (ready === 0) throw new JobFailure('index_write_failed')
    await tx.run(sql`
      update retrieval.ingestion_jobs set result = ${sql.json({ ...result, metrics })}
      where tenant_id = ${tenant_id} and id = ${id}`)
    if (!result.activated) return
    const days = deps.kernel.settings['retrieval.rollback_days']
    await switchIndex(tx, days, tenant_id, collection_id, index_version)
  })
  return undefined
}

async function fill(deps: Deps, job: RunningJob, target: IndexVersion): Promise<void> {
  const stages = openStages(deps.kernel, job)
  const kept = Value.Check(Place, job.checkpoint) ? job.checkpoint : { after: -1, done: 0 }
  let { done } = kept
  const total = await countServed(deps, target)
  await stages.set('index', { state: 'running', done, total })
  await fillIndex(deps, target, kept.after, job.signal, async (after, many) => {
    done += many
    await job.progress({ stage: 'index', current: done, total, checkpoint: { after, done } })
  })
  await withWriter(deps, target, writing =>
    extendLease(deps, target, writing, compact_lease_seconds, lease =>
      deps.index.compact(writing.table, lease),
    ),
  )
  await withTable(deps, target, table => deps.index.completeIndexes(table))
  await stages.set('index', { state: 'done', done, total: Math.max(done, total) })
}
