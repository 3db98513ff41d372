/** Routes of evaluations. */
import { sql } from '../../../kernel/database/sql.ts'
import { batch_members_max } from '../../../kernel/http/content.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import { callerOf } from '../access/principals.ts'
import { requireRight } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import { listEvaluations } from './list-evaluations.ts'
import { Evaluate, Evaluating, EvaluationPage } from './schemas.ts'

const k = 10
const path = '/v1/collections/{collection_id}/evaluations'

export function evaluationRoutes(deps: Deps): readonly Route[] {
  return [
    route({
      method: 'GET',
      path,
      name: 'listEvaluations',
      summary: 'Evaluations of a collection that you manage, newest first',
      permission: 'retrieval.collections.use',
      absent: 'collection_not_found',
      added: true,
      query: pageQuery({}),
      replies: { 200: EvaluationPage },
      fails: ['collection_not_found', 'permission_denied'],
      handle: async ({ tx, principal, params: { collection_id }, list }) => {
        const caller = await callerOf(tx, deps, principal)
        await requireRight(tx, caller, collection_id, 'manage')
        const { tenant_id } = principal
        const { body, headers } = await listEvaluations(tx, list, tenant_id, collection_id)
        return reply(200, body, headers)
      },
    }),
    route({
      method: 'POST',
      path,
      name: 'evaluateCollection',
      summary: 'Evaluate an index version with queries whose answers are known',
      description:
        'The `result` of the job has nDCG@10, recall, MRR, the recall of the approximate index and the median time. With `store`, these queries decide whether the next index version is activated.',
      sends: ['location'],
      permission: 'retrieval.collections.use',
      absent: 'collection_not_found',
      added: true,
      body: Evaluate,
      body_limit_bytes: 10 * 1024 * 1024,
      body_members_max: batch_members_max,
      replies: { 202: Evaluating },
      fails: [
        'collection_not_found',
        'permission_denied',
        'validation_failed',
        'index_version_not_found',
      ],
      handle: async ({ tx, principal, params: { collection_id }, body }) => {
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
        return reply(
          202,
          { id: job_id, job_id, state: 'pending' as const, status: 'queued' as const },
          { location: `/v1/ingestion-jobs/${job_id}` },
        )
      },
    }),
  ]
}
