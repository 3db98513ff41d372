/**
 * Routes of a tenant's schedules, by name. A caller must be allowed to schedule the type.
 */
import { allowsType, page, reply, routesOf, sql, viewTag, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { scheduleColumns, putSchedule } from './put-schedule.ts'
import { PutSchedule, Schedule, ScheduleName } from './schemas.ts'

const permission = 'jobs.schedules.write'
const path = '/v1/job-schedules/{name}'
const absent = 'job_schedule_not_found'

const { open, get, list, put, del } = routesOf<Deps>({
  absent,
  read: 'jobs.schedules.write',
  added: true,
  params: { name: ScheduleName },
})

export const scheduleRoutes = open({
  listJobSchedules: list(
    '/v1/job-schedules',
    'List the schedules of the tenant whose types I may schedule, by name',
    { item: Schedule },
    async ({ tx, principal, grants, list }) => {
      const held = await grants()
      const types = [...held].flatMap(grant =>
        grant.startsWith(`${permission}:`) ? [grant.slice(permission.length + 1)] : [],
      )
      return page(tx, {
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
    },
  ),

  getJobSchedule: get(
    path,
    'A schedule',
    { reply: Schedule },
    async ({ tx, params: { name }, principal, grants }) => {
      const found = await findSchedule(tx, principal.tenant_id, name, await grants())
      if (!found) throw problem(absent)
      return reply(200, found, { etag: tagOf(found) })
    },
  ),

  putJobSchedule: put(
    path,
    'Create or replace a schedule',
    {
      sends: ['etag', 'location'],
      permission: `${permission}:{body.type}`,
      absent: 'validation_failed',
      body: PutSchedule,
      instead: { unique_key: 'overlap' },
      replies: { 200: Schedule, 201: Schedule },
      fails: [
        'permission_denied',
        'precondition_failed',
        'content_too_large',
        'quota_exceeded',
        'schedule_invalid',
        'unknown_job_type',
        'unsupported_schema_version',
      ],
    },
    async ({ tx, params: { name }, body, principal, grants, request }, deps) => {
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
  ),

  deleteJobSchedule: del(
    path,
    'Delete a schedule; jobs that it created stay',
    { permission: 'jobs.schedules.write' },
    async ({ tx, params: { name }, principal, grants }) => {
      await deleteSchedule(tx, { tenant_id: principal.tenant_id, name }, await grants())
    },
  ),
})

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
