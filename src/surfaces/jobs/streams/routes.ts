/** Routes to the past of a job: its attempts and its history, both also as a live stream. */
import { Type } from 'typebox'
import { Id, nullable, page, pageOf, pageQuery, reply, routesOf, sql, Time } from '#dodeca/kernel'
import type { RequestFacts, StreamPlaces } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findJob, stillReads } from '../jobs/find-job.ts'
import type { JobWatcher } from './job-watcher.ts'
import { watchJob } from './watch-job.ts'

const Attempt = Type.Object(
  {
    id: Id,
    job_id: Id,
    attempt_no: Type.Integer(),
    worker_id: Id,
    state: Type.String(),
    leased_until: Time,
    heartbeat_at: Time,
    started_at: Time,
    completed_at: nullable(Time),
    error_code: nullable(Type.String()),
  },
  { title: 'JobAttempt' },
)

const JobEvent = Type.Object(
  {
    id: Id,
    job_id: Id,
    sequence: Type.Integer(),
    type: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown()),
    occurred_at: Time,
  },
  { title: 'JobEvent' },
)

type Needed = Deps & { readonly watcher: JobWatcher; readonly places: StreamPlaces }

const { open, get } = routesOf<Needed>({
  absent: 'job_not_found',
  permission: 'authenticated',
  added: true,
})

export const watchRoutes = open({
  listJobAttempts: get(
    '/v1/jobs/{job_id}/attempts',
    'List the attempts of a job, newest first',
    { for_others: 'jobs.jobs.read:{type}', query: pageQuery({}), reply: pageOf(Attempt) },
    async ({ tx, params, principal, grants, list }, deps) => {
      const caller = { principal, grants }
      const { tenant_id, id } = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.read')
      const { body, headers } = await page(tx, {
        scope: list,
        row: Attempt,
        place: ['attempt_no'],
        fetch: (after, n) => sql`
          select id, job_id, attempt_no, worker_id, state, leased_until, heartbeat_at, started_at,
            completed_at, error_code
          from jobs.job_attempts
          where tenant_id = ${tenant_id} and job_id = ${id}
            and (${after.attempt_no}::int is null or attempt_no < ${after.attempt_no}::int)
          order by attempt_no desc
          limit ${n}`,
      })
      return reply(200, body, headers)
    },
  ),

  listJobEvents: get(
    '/v1/jobs/{job_id}/events',
    'List the events of a job, or stream them with its progress',
    {
      for_others: 'jobs.jobs.read:{type}',
      description:
        'The stream sends job.state, job.progress, job.done (and then closes) and error. Last-Event-ID resumes it.',
      query: pageQuery({}),
      reply: pageOf(JobEvent),
      fails: ['quota_exceeded'],
      headers: { vary: 'accept' },
    },
    {
      handle: async ({ tx, params, principal, grants, list }, deps) => {
        const caller = { principal, grants }
        const { tenant_id, id } = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.read')
        const { body, headers } = await page(tx, {
          scope: list,
          row: JobEvent,
          place: ['sequence'],
          fetch: ({ sequence }, n) => sql`
          select id, job_id, sequence, type, data, occurred_at from jobs.job_events
          where tenant_id = ${tenant_id} and job_id = ${id} and sequence > ${sequence ?? 0}::int
          order by sequence
          limit ${n}`,
        })
        return reply(200, body, headers)
      },
      watch: async ({ db, params, principal, grants, request }, deps) => {
        const caller = { principal, grants }
        const job = await findJob(db, deps, caller, params.job_id, 'jobs.jobs.read')
        const { tenant_id, id: job_id } = job
        const after = lastEventOf(request, job.last_sequence)
        const { signal } = request
        return deps.places.hold(
          principal.id,
          watchJob(db, deps, deps.watcher, {
            tenant_id,
            job_id,
            after,
            signal,
            mayRead: () => stillReads(deps, principal, job),
          }),
        )
      },
    },
  ),
})

/** This position is beyond the end, so it was never given out. */
function lastEventOf({ headers }: RequestFacts, last: number): number | null {
  const given = Number(headers['last-event-id'] ?? Number.NaN)
  return Number.isSafeInteger(given) && given >= 0 && given <= last ? given : null
}
