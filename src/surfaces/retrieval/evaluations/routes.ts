/** Routes of evaluations. */
import { batch_members_max, routesOf, sql } from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import { inCollection, requireRight } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import { Evaluate, Evaluating, Evaluation } from './schemas.ts'

const k = 10
const path = '/v1/collections/{collection_id}/evaluations'

const { open, list, post } = routesOf<Deps>({
  absent: 'collection_not_found',
  permission: 'retrieval.collections.use',
  added: true,
})

export const evaluationRoutes = open({
  listEvaluations: list(path, 'Evaluations of a collection that you manage, newest first', {
    from: 'retrieval.evaluations',
    row: Evaluation,
    columns: { job_id: sql`t.id` },
    within: inCollection('manage'),
    time: 'id',
    fails: ['permission_denied'],
  }),

  evaluateCollection: post(
    path,
    'Evaluate an index version with queries whose answers are known',
    {
      description:
        'The `result` of the job has nDCG@10, recall, MRR, the recall of the approximate index and the median time. With `store`, these queries decide whether the next index version is activated.',
      body: Evaluate,
      body_limit_bytes: 10 * 1024 * 1024,
      body_members_max: batch_members_max,
      replies: { 202: Evaluating },
      location: '/v1/ingestion-jobs/{job_id}',
      fails: ['permission_denied', 'validation_failed', 'index_version_not_found'],
    },
    async ({ tx, principal, params: { collection_id }, body }, deps) => {
      const { queries, index_version = null, store = false } = body
      const { tenant_id, id: submitter_id } = principal
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'manage')
      const live = await liveVersions(tx, tenant_id, collection_id)
      if (index_version !== null && !live.some(one => one.version === index_version)) {
        throw problem('index_version_not_found')
      }
      const order = { tenant_id, kind: 'evaluate', collection_id, submitter_id } as const
      const job_id = await submitJob(tx, deps, order)
      await tx.run(sql`
          insert into retrieval.evaluations
            (tenant_id, id, collection_id, index_version, k, queries, stored, created_by)
          values (${tenant_id}, ${job_id}, ${collection_id}, ${index_version}, ${k},
            ${sql.json(queries)}, ${store}, ${submitter_id})`)
      return { id: job_id, job_id, state: 'pending' as const, status: 'queued' as const }
    },
  ),
})
