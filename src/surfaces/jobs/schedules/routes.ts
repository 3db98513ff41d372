/**
 * Routes of a tenant's schedules, by name. A caller must be allowed to schedule the type.
 */
import { allowsType } from '../../../kernel/access/permissions.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { viewTag } from '../../../kernel/http/etag.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { scheduleColumns, putSchedule } from './put-schedule.ts'
import { PutSchedule, Schedule, ScheduleName, SchedulePage } from './schemas.ts'

const permission = 'jobs.schedules.write'
const path = '/v1/job-schedules/{name}'
const params = { name: ScheduleName }
const absent = 'job_schedule_not_found'

export function scheduleRoutes(deps: Deps): readonly Route[] {
  return [listRoute(), showRoute(), putRoute(deps), removeRoute()]
}

function putRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path,
    params,
    name: 'putJobSchedule',
    summary: 'Create or replace a schedule',
    sends: ['etag', 'location'],
    permission: `${permission}:{body.type}`,
    added: true,
    absent: 'validation_failed',
    body: PutSchedule,
    refuses: { starts_at: null, ends_at: null, unique_key: 'overlap', timeout: null },
    replies: { 200: Schedule, 201: Schedule },
    fails: [
      'permission_denied',
      'precondition_failed',
      'content_too_large',
      'quota_exceeded',
      'schedule_invalid',
      'unknown_job_type',
      'unsupported_schema_version',
      'validation_failed',
    ],
    handle: async ({ tx, params: { name }, body, principal, grants, request }) => {
      const conditions = {
        if_match: request.headers['if-match'],
        if_none_match: request.headers['if-none-match'],
      }
      const by = { principal, grants: await grants(), conditions }
      const { schedule, made } = await putSchedule(tx, deps, name, body, by)
      const headers = { etag: tagOf(schedule) }
      if (!made) return reply(200, schedule, headers)
      return reply(201, schedule, { ...headers, location: `/v1/job-schedules/${name}` })
    },
  })
}

/** Returns undefined if there is no schedule that the caller may see. */
async function findSchedule(
  reader: Reader,
  tenant_id: string,
  name: string,
  grants: ReadonlySet<string>,
): Promise<Schedule | undefined> {
  const found = await reader.maybe(
    Schedule,
    sql`
    select ${scheduleColumns} from jobs.job_schedules
    where tenant_id = ${tenant_id} and name = ${name}`,
  )
  return found && allowsType(grants, permission, found.type) ? found : undefined
}

/** A run changes the representation and not the version, so the tag contains both. */
function tagOf(schedule: Schedule): string {
  const { version, next_run_at, last_job_id, last_error_code } = schedule
  return viewTag(version, [next_run_at, last_job_id, last_error_code])
}

function showRoute(): Route {
  return route({
    method: 'GET',
    path,
    params,
    name: 'getJobSchedule',
    summary: 'A schedule',
    sends: ['etag'],
    permission,
    added: true,
    absent,
    replies: { 200: Schedule },
    fails: [absent],
    handle: async ({ tx, params: { name }, principal, grants }) => {
      const found = await findSchedule(tx, principal.tenant_id, name, await grants())
      if (!found) throw problem(absent)
      return reply(200, found, { etag: tagOf(found) })
    },
  })
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/job-schedules',
    name: 'listJobSchedules',
    summary: 'List the schedules of the tenant whose types I may schedule, by name',
    permission,
    added: true,
    query: pageQuery({}),
    replies: { 200: SchedulePage },
    handle: async ({ tx, principal, grants, list }) => {
      const held = await grants()
      const types = [...held].flatMap(grant =>
        grant.startsWith(`${permission}:`) ? [grant.slice(permission.length + 1)] : [],
      )
      const { body, headers } = await page(tx, {
        scope: list,
        row: Schedule,
        place: ['name'],
        fetch: ({ name }, n) => sql`
          select ${scheduleColumns} from jobs.job_schedules
          where tenant_id = ${principal.tenant_id}
            and (${types.includes('*')} or type = any(${types}::text[]))
            and (${name}::text is null or name > ${name}::text)
          order by name
          limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function removeRoute(): Route {
  return route({
    method: 'DELETE',
    path,
    params,
    name: 'deleteJobSchedule',
    summary: 'Delete a schedule; jobs that it created stay',
    permission,
    added: true,
    absent,
    replies: { 204: null },
    fails: [absent],
    handle: async ({ tx, params: { name }, principal, grants }) => {
      await deleteSchedule(tx, { tenant_id: principal.tenant_id, name }, await grants())
      return reply(204, null)
    },
  })
}
