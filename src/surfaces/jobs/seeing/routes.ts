/** Routes that show jobs. Who submitted one, or holds the permission for its type, sees it. */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { JobPage, JobView, StateFilter, TypeName } from '../schemas.ts'
import { tagOf } from './entity-tag.ts'
import { findJob } from './find-job.ts'
import { listJobs } from './list-jobs.ts'
import { readable } from './may.ts'
import { viewJob } from './view.ts'

export function seeingRoutes(deps: Deps): readonly Route[] {
  return [showRoute(deps), listRoute(deps)]
}

function showRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/jobs/{job_id}',
    name: 'getJob',
    summary: 'A job: its state, its progress, and why it waits',
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
    summary: 'The jobs of the tenant that I may see, newest first',
    permission: 'authenticated',
    query: pageQuery({ state: Type.Optional(StateFilter), type: Type.Optional(TypeName) }),
    replies: { 200: JobPage },
    handle: async ({ tx, query, principal, grants, list }) => {
      const { after, fetch } = deps.kernel.cursors.start(list)
      const jobs = await listJobs(tx, deps, {
        tenant_id: principal.tenant_id,
        principal_id: principal.id,
        state: query.state,
        type: query.type,
        after: after === null ? null : String(after[0]),
        fetch,
        readable: readable(deps, await grants()),
      })
      const { body, headers } = deps.kernel.cursors.page(list, jobs, job => [job.id])
      return reply(200, body, headers)
    },
  })
}
