/** Routes for the steps of a workflow: the list of steps, and the signals that a run waits for. */
import { columnsOf, page, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findJob, mayRead } from '../jobs/find-job.ts'
import { SendSignal, SignalView, StepView } from './schemas.ts'
import { sendSignal } from './send-signal.ts'

const { open, list, post } = routesOf<Deps>({ absent: 'job_not_found', read: 'authenticated' })

export const stepRoutes = open({
  listJobSteps: list(
    '/v1/jobs/{job_id}/steps',
    'List the steps of a workflow, in their order',
    {
      for_others: 'jobs.jobs.read:{type}',
      added: true,
      description:
        'A job that is no workflow has no steps. `result` is null for callers who may not read the ' +
        'result of the job.',
      item: StepView,
    },
    async ({ tx, params, principal, grants, list }, deps) => {
      const caller = { principal, grants }
      const job = await findJob(tx, deps, caller, params.job_id, 'jobs.jobs.read')
      const with_results = await mayRead(deps, caller, job, 'jobs.results.read')
      return page(tx, {
        scope: list,
        row: StepView,
        place: ['sequence', 'name'],
        fetch: ({ sequence, name }, n) => sql`
          select ${columnsOf(StepView, 's', {
            result: with_results ? sql`s.result` : sql`null::json`,
          })}
          from jobs.job_steps s
          where s.tenant_id = ${job.tenant_id} and s.job_id = ${job.id}
            and (${sequence}::int is null or (s.sequence, s.name) > (${sequence}::int, ${name}))
          order by s.sequence, s.name
          limit ${n}`,
      })
    },
  ),

  sendJobSignal: post(
    '/v1/jobs/{job_id}/signals',
    'Send a signal to a workflow',
    {
      for_others: 'jobs.jobs.signal:{type}',
      sends: ['location'],
      added: true,
      description:
        'A step that waits for a signal of this name goes on with it. A signal that comes before ' +
        'its step is kept.',
      permission: 'authenticated',
      asks_grants: true,
      idempotency: 'required',
      body: SendSignal,
      replies: { 202: SignalView },
      fails: [
        'permission_denied',
        'invalid_transition',
        'job_has_no_steps',
        'content_too_large',
        'quota_exceeded',
        'validation_failed',
      ],
    },
    async ({ tx, params, body, principal, grants }, deps) => {
      const caller = { principal, grants }
      const { id: job_id, tenant_id } = await findJob(
        tx,
        deps,
        caller,
        params.job_id,
        'jobs.jobs.signal',
      )
      const { name, data } = body
      const sender = { principal_id: principal.id }
      const { id } = await sendSignal(tx, deps, { tenant_id, job_id, name, data, ...sender })
      const signal = { id, job_id, name, status: 'accepted' as const }
      return reply(202, signal, { location: `/v1/jobs/${job_id}` })
    },
  ),
})
