/** An evaluation as a job. Its queries are stored in a row, and its result is a few numbers. */
import { Type } from 'typebox'
import { JobFailure, nullable, sql, type JobType } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import { endJob, reopenJob } from '../ingestion/end-job.ts'
import { NoParameters } from '../ingestion/ingest-job.ts'
import { openStages } from '../ingestion/stages.ts'
import { evaluateIndex } from './evaluate-index.ts'
import { Judged } from './schemas.ts'

const Order = Type.Object({
  collection_id: Type.String(),
  index_version: nullable(Type.Integer()),
  queries: nullable(Type.Array(Judged)),
  stored: Type.Boolean(),
})

export function evaluateJob(deps: Deps): JobType {
  return {
    type: 'retrieval.evaluate',
    schema_version: 1,
    parameters: NoParameters,
    lease_seconds: 60,
    timeout_seconds: 6 * 3600,
    max_attempts: 3,
    tenant_max_running: 1,
    run: async job => {
      const { db } = deps.kernel
      const { tenant_id, id } = job
      const { collection_id, index_version, queries, stored } = await db.one(
        Order,
        sql`
          select collection_id, index_version, queries, stored from retrieval.evaluations
          where tenant_id = ${tenant_id} and id = ${id}`,
      )
      const live = await liveVersions(db, tenant_id, collection_id)
      const target = live.find(one =>
        index_version === null ? one.state === 'active' : one.version === index_version,
      )
      // The index version was dropped, or the account that requested it was erased.
      if (!target || queries === null) throw new JobFailure('evaluation_not_possible')
      const stages = openStages(deps.kernel, job)
      const total = queries.length
      await stages.set('evaluate', { state: 'running', total })
      const measured = await evaluateIndex(deps, target, queries, job.signal, done =>
        stages.set('evaluate', { state: 'running', done, total }),
      )
      await stages.set('evaluate', { state: 'done', done: total, total })
      await job.commit(async tx => {
        await tx.run(sql`
          update retrieval.ingestion_jobs
          set result = ${sql.json({ index_version: target.version, ...measured })}
          where tenant_id = ${tenant_id} and id = ${id}`)
        await tx.run(sql`
          update retrieval.evaluations set metrics = ${sql.json(measured)},
            queries = case when ${stored} then queries end
          where tenant_id = ${tenant_id} and id = ${id}`)
      })
      return undefined
    },
    ended: endJob,
    reopened: reopenJob,
  }
}
