/**
 * Routes that show jobs, cancel, retry and change them. The submitter, and callers with the
 * permission for its type, can see a job.
 */
import { Type } from 'typebox'
import { expectedVersions, page, reply, routesOf, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { JobView, StateFilter, TypeName } from '../schemas.ts'
import { tagOf } from './entity-tag.ts'
import { findJob, readable } from './find-job.ts'
import { listJobs } from './list-jobs.ts'
import { viewJob } from './view-job.ts'
import { cancelJob } from './cancel-job.ts'
import { changeJob } from './change-job.ts'
import { redriveJobs } from './reopen-jobs.ts'
import { retryAsNewJob, retrySameJob } from './retry-job.ts'
import { CancelJob, ChangeJob, Redrive, Redriven, RetryJob } from './schemas.ts'

const { open, get, list, post, patch } = routesOf<Deps>({
  absent: 'job_not_found',
  read: 'authenticated',
})

export const jobRoutes = open({
  getJob: get(
    '/v1/jobs/{job_id}',
    'Get a job: its state, its progress, and why it waits',
    { tool: 'read', for_others: 'jobs.jobs.read:{type}', reply: JobView },
    async ({ tx, params, principal, grants }, deps) => {
      const job = await findJob(tx, deps, { principal, grants }, params.job_id, 'jobs.jobs.read')
      const view = await viewJob(tx, deps, { tenant_id: job.tenant_id, job_id: job.id })
      if (!view) throw problem('job_not_found')
      return reply(200, view, { etag: tagOf(view) })
    },
  ),

  listJobs: list(
    '/v1/jobs',
    'List the jobs of the tenant that I may see, newest first',
    {
      tool: 'read',
      for_others: 'jobs.jobs.read:{type}',
      item: JobView,
      filters: { state: Type.Optional(StateFilter), type: Type.Optional(TypeName) },
    },
    async ({ tx, query, principal, grants, list }, deps) => {
      const asked = {
        tenant_id: principal.tenant_id,
        principal_id: principal.id,
        state: query.state,
        type: query.type,
        readable: readable(deps, await grants()),
      }
      return page(tx, {
        scope: list,
        row: JobView,
        place: ['id'],
        fetch: ({ id }, n) => listJobs(tx, deps, { ...asked, after: id, fetch: n }),
      })
    },
  ),

  cancelJob: post(
    '/v1/jobs/{job_id}/cancel',
    'Cancel a job',
    {
      tool: 'write',
      for_others: 'jobs.jobs.cancel:{type}',
      sends: ['etag', 'location'],
      description:
        'A waiting job is cancelled immediately (200). A running job is asked to stop (202); its ' +
        'state is `running` until its worker stops or finishes.',
      permission: 'authenticated',
      asks_grants: true,
      body: CancelJob,
      body_optional: true,
      replies: { 200: JobView, 202: JobView },
      fails: ['permission_denied', 'invalid_transition'],
    },
    async ({ tx, params, body, principal, grants }, deps) => {
      const caller = { principal, grants }
      const { id, tenant_id } = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.cancel')
      const reason = body?.reason ?? null
      const key = { tenant_id, job_id: id }
      const said = await cancelJob(tx, deps, key, reason, principal.id)
      const { job, headers, location } = await shown(tx, deps, tenant_id, id)
      if (said === 'ended') throw problem('invalid_transition', { current_state: job.state })
      return said === 'requested'
        ? reply(202, job, { ...headers, location })
        : reply(200, job, headers)
    },
  ),

  retryJob: post(
    '/v1/jobs/{job_id}/retry',
    'Retry a job',
    {
      tool: 'write',
      sends: ['etag', 'location'],
      description:
        'The same job waits again for the jobs of `depends_on` that have not ended as required; if ' +
        'one of them has failed, it fails again. Its history is kept: the numbers of the attempts ' +
        'continue. With `new_job`, another job with the same input is created. It waits for no ' +
        'other job and for no time, and has no deadline.',
      permission: 'jobs.jobs.retry',
      body: RetryJob,
      body_optional: true,
      replies: { 202: JobView },
      fails: [
        'permission_denied',
        'invalid_transition',
        'unknown_job_type',
        'unsupported_schema_version',
        'input_not_available',
        'quota_exceeded',
      ],
    },
    async ({ tx, params, body, principal, grants }, deps) => {
      const caller = { principal, grants }
      const found = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.retry')
      const as_new_job = body?.mode === 'new_job'
      if (!as_new_job) await retrySameJob(tx, deps, found)
      const id = as_new_job ? await retryAsNewJob(tx, deps, found, principal) : found.id
      const { job, headers, location } = await shown(tx, deps, found.tenant_id, id)
      return reply(202, job, { ...headers, location })
    },
  ),

  updateJob: patch(
    '/v1/jobs/{job_id}',
    'Change the priority or the time of a waiting job',
    {
      permission: 'jobs.jobs.update',
      added: true,
      body: ChangeJob,
      reply: JobView,
      fails: [
        'permission_denied',
        'invalid_transition',
        'precondition_failed',
        'validation_failed',
      ],
    },
    async ({ tx, params, body, principal, grants, if_match }, deps) => {
      const caller = { principal, grants }
      const found = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.update')
      await changeJob(tx, deps, found, body, expectedVersions(if_match))
      const { job, headers } = await shown(tx, deps, found.tenant_id, found.id)
      return reply(200, job, headers)
    },
  ),

  redriveJobs: post(
    '/v1/job-redrives',
    'Retry the failed jobs of a type, oldest first',
    {
      permission: 'jobs.jobs.retry:{body.type}',
      added: true,
      rate: 'expensive',
      body: Redrive,
      reply: Redriven,
      fails: ['quota_exceeded'],
    },
    async ({ tx, body, principal }, deps) => ({
      retried: await redriveJobs(tx, deps, body, principal),
    }),
  ),
})

/** The job after the change, with its headers. */
async function shown(reader: Reader, deps: Deps, tenant_id: string, job_id: string) {
  const job = await viewJob(reader, deps, { tenant_id, job_id })
  if (!job) throw problem('job_not_found')
  return { job, headers: { etag: tagOf(job) }, location: `/v1/jobs/${job.id}` }
}
