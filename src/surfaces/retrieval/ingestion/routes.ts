/** Routes of the jobs of retrieval. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { IngestionJob, jobView, requireJob, requireWriter, showJob } from './show-job.ts'
import { submitJob } from './submit-job.ts'

const path = '/v1/ingestion-jobs/{job_id}'
const absent = 'job_not_found'
const shared = { permission: 'retrieval.collections.use', absent } as const

export function jobRoutes(deps: Deps): readonly Route[] {
  return [getRoute(deps), cancelRoute(deps), retryRoute(deps)]
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'getIngestionJob',
    summary: 'A job of ingestion, purging, reindexing, syncing or evaluation',
    description: 'The `result` of a purge is its receipt: when each projection was erased.',
    ...shared,
    replies: { 200: IngestionJob },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { job_id } }) => {
      const caller = await callerOf(tx, deps, principal)
      return reply(200, await showJob(tx, deps, caller, principal, job_id))
    },
  })
}

function cancelRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/cancel`,
    name: 'cancelIngestionJob',
    summary: 'Cancel a job',
    description: 'A running job stops at its next stage. A purge cannot be cancelled.',
    sends: ['location'],
    ...shared,
    added: true,
    replies: { 202: IngestionJob },
    fails: [absent, 'permission_denied', 'invalid_transition'],
    handle: async ({ tx, principal, params: { job_id } }) => {
      const { tenant_id } = principal
      const caller = await callerOf(tx, deps, principal)
      const row = await requireJob(tx, caller, principal, job_id)
      const cancelled =
        row.kind === 'purge' ? 'ended' : await deps.jobs.cancel(tx, { tenant_id, job_id })
      if (cancelled === 'ended' || cancelled === 'absent') {
        throw problem('invalid_transition', { current_state: row.state })
      }
      const after = await requireJob(tx, caller, principal, job_id)
      const location = path.replace('{job_id}', job_id)
      return reply(202, await jobView(tx, deps, tenant_id, after), { location })
    },
  })
}

function retryRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/retry`,
    name: 'retryIngestionJob',
    summary: 'Retry a failed or cancelled job',
    description:
      '`Location` is a new job, which continues after the last completed stage. Syncs and reindexes are started again by their own requests.',
    sends: ['location'],
    ...shared,
    added: true,
    replies: { 202: IngestionJob },
    fails: [absent, 'permission_denied', 'job_not_ended'],
    handle: async ({ tx, principal, params: { job_id } }) => {
      const { tenant_id, id: submitter_id } = principal
      const caller = await callerOf(tx, deps, principal)
      const { kind, state, collection_id, document_id, document_version } = await requireJob(
        tx,
        caller,
        principal,
        job_id,
      )
      const ended = state === 'failed' || state === 'cancelled'
      const repeatable = kind === 'ingest' || kind === 'purge'
      if (!ended || !repeatable) throw problem('job_not_ended', { current_state: state })
      // A job may be seen by its submitter for ever, but makes a version only for a writer.
      if (kind === 'ingest' && document_id) await requireWriter(tx, caller, document_id)
      const id = await submitJob(tx, deps, {
        tenant_id,
        kind,
        collection_id,
        submitter_id,
        ...(document_id === null ? {} : { document_id }),
        ...(document_version === null ? {} : { document_version }),
      })
      await tx.run(sql`
        update retrieval.documents set state = 'pending', error_code = null
        where tenant_id = ${tenant_id} and id = ${document_id} and state = 'failed'`)
      const row = await requireJob(tx, caller, principal, id)
      const headers = { location: path.replace('{job_id}', id) }
      return reply(202, await jobView(tx, deps, tenant_id, row), headers)
    },
  })
}
