/** Routes of the jobs of retrieval. */
import { reply, routesOf, sql } from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { IngestionJob, jobView, requireJob, requireWriter, showJob } from './show-job.ts'
import { submitJob } from './submit-job.ts'

const path = '/v1/ingestion-jobs/{job_id}'

const { open, get, post } = routesOf<Deps>({
  absent: 'job_not_found',
  permission: 'retrieval.collections.use',
})

export const jobRoutes = open({
  getIngestionJob: get(
    path,
    'A job of ingestion, purging, reindexing, syncing or evaluation',
    {
      description: 'The `result` of a purge is its receipt: when each projection was erased.',
      reply: IngestionJob,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { job_id } }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      return await showJob(tx, deps, caller, principal, job_id)
    },
  ),

  cancelIngestionJob: post(
    `${path}/cancel`,
    'Cancel a job',
    {
      sends: ['location'],
      description: 'A running job stops at its next stage. A purge cannot be cancelled.',
      added: true,
      replies: { 202: IngestionJob },
      fails: ['permission_denied', 'invalid_transition'],
    },
    async ({ tx, principal, params: { job_id } }, deps) => {
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
  ),

  retryIngestionJob: post(
    `${path}/retry`,
    'Retry a failed or cancelled job',
    {
      sends: ['location'],
      description:
        '`Location` is a new job, which continues after the last completed stage. Syncs and reindexes are started again by their own requests.',
      added: true,
      replies: { 202: IngestionJob },
      fails: ['permission_denied', 'job_not_ended'],
    },
    async ({ tx, principal, params: { job_id } }, deps) => {
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
  ),
})
