/**
 * Routes that show jobs, cancel, retry and change them. The submitter, and callers with the
 * permission for its type, can see a job.
 */
import { Type } from 'typebox'
import { expectedVersions } from '../../../kernel/http/etag.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { JobPage, JobView, StateFilter, TypeName } from '../schemas.ts'
import { tagOf } from './entity-tag.ts'
import { findJob, readable } from './find-job.ts'
import { listJobs } from './list-jobs.ts'
import { viewJob } from './view-job.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { cancelJob } from './cancel-job.ts'
import { changeJob } from './change-job.ts'
import { redriveJobs } from './reopen-jobs.ts'
import { retryAsNewJob, retrySameJob } from './retry-job.ts'
import { CancelJob, ChangeJob, Redrive, Redriven, RetryJob } from './schemas.ts'

export function jobRoutes(deps: Deps): readonly Route[] {
  return [
    showRoute(deps),
    listRoute(deps),
    cancelRoute(deps),
    retryRoute(deps),
    changeRoute(deps),
    redriveRoute(deps),
  ]
}

function showRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/jobs/{job_id}',
    name: 'getJob',
    summary: 'Get a job: its state, its progress, and why it waits',
    sends: ['etag'],
    permission: 'authenticated',
    absent: 'job_not_found',
    replies: { 200: JobView },
    fails: ['job_not_found'],
    handle: async ({ tx, params, principal, grants }) => {
      const job = await findJob(tx, deps, { principal, grants }, params.job_id, 'jobs.jobs.read')
      const view = await viewJob(tx, deps, { tenant_id: job.tenant_id, job_id: job.id })
      if (!view) throw problem('job_not_found')
      return reply(200, view, { etag: tagOf(view) })
    },
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/jobs',
    name: 'listJobs',
    summary: 'List the jobs of the tenant that I may see, newest first',
    permission: 'authenticated',
    query: pageQuery({ state: Type.Optional(StateFilter), type: Type.Optional(TypeName) }),
    replies: { 200: JobPage },
    handle: async ({ tx, query, principal, grants, list }) => {
      const asked = {
        tenant_id: principal.tenant_id,
        principal_id: principal.id,
        state: query.state,
        type: query.type,
        readable: readable(deps, await grants()),
      }
      const { body, headers } = await page(tx, {
        scope: list,
        row: JobView,
        place: ['id'],
        fetch: ({ id }, n) => listJobs(tx, deps, { ...asked, after: id, fetch: n }),
      })
      return reply(200, body, headers)
    },
  })
}

const absent = 'job_not_found'

/** The job after the change, with its headers. */
async function shown(reader: Reader, deps: Deps, tenant_id: string, job_id: string) {
  const job = await viewJob(reader, deps, { tenant_id, job_id })
  if (!job) throw problem('job_not_found')
  return { job, headers: { etag: tagOf(job) }, location: `/v1/jobs/${job.id}` }
}

function cancelRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/jobs/{job_id}/cancel',
    name: 'cancelJob',
    summary: 'Cancel a job',
    sends: ['etag', 'location'],
    description:
      'A waiting job is cancelled immediately (200). A running job is asked to stop (202); its ' +
      'state is `running` until its worker stops or finishes.',
    permission: 'authenticated',
    asks_grants: true,
    absent,
    body: CancelJob,
    body_optional: true,
    replies: { 200: JobView, 202: JobView },
    fails: ['job_not_found', 'permission_denied', 'invalid_transition'],
    handle: async ({ tx, params, body, principal, grants }) => {
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
  })
}

function retryRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/jobs/{job_id}/retry',
    name: 'retryJob',
    summary: 'Retry a job',
    sends: ['etag', 'location'],
    description:
      'The same job waits again for the jobs of `depends_on` that have not ended as required; if ' +
      'one of them has failed, it fails again. Its history is kept: the numbers of the attempts ' +
      'continue. With `new_job`, another job with the same input is created. It waits for no ' +
      'other job and for no time, and has no deadline.',
    permission: 'jobs.jobs.retry',
    absent,
    body: RetryJob,
    body_optional: true,
    replies: { 202: JobView },
    fails: [
      'job_not_found',
      'permission_denied',
      'invalid_transition',
      'unknown_job_type',
      'unsupported_schema_version',
      'input_not_available',
      'quota_exceeded',
    ],
    handle: async ({ tx, params, body, principal, grants }) => {
      const caller = { principal, grants }
      const found = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.retry')
      const as_new_job = body?.mode === 'new_job'
      if (!as_new_job) await retrySameJob(tx, deps, found)
      const id = as_new_job ? await retryAsNewJob(tx, deps, found, principal) : found.id
      const { job, headers, location } = await shown(tx, deps, found.tenant_id, id)
      return reply(202, job, { ...headers, location })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: '/v1/jobs/{job_id}',
    name: 'updateJob',
    summary: 'Change the priority or the time of a waiting job',
    sends: ['etag'],
    permission: 'jobs.jobs.update',
    added: true,
    absent,
    body: ChangeJob,
    replies: { 200: JobView },
    fails: [
      'job_not_found',
      'permission_denied',
      'invalid_transition',
      'precondition_failed',
      'validation_failed',
    ],
    handle: async ({ tx, params, body, principal, grants, request }) => {
      const caller = { principal, grants }
      const found = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.update')
      await changeJob(tx, deps, found, body, expectedVersions(request.headers['if-match']))
      const { job, headers } = await shown(tx, deps, found.tenant_id, found.id)
      return reply(200, job, headers)
    },
  })
}

function redriveRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/job-redrives',
    name: 'redriveJobs',
    summary: 'Retry the failed jobs of a type, oldest first',
    permission: 'jobs.jobs.retry:{body.type}',
    added: true,
    rate: 'expensive',
    body: Redrive,
    replies: { 200: Redriven },
    fails: ['quota_exceeded'],
    handle: async ({ tx, body, principal }) =>
      reply(200, { retried: await redriveJobs(tx, deps, body, principal) }),
  })
}
