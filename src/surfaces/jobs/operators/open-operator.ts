/** Jobs for the operator of the machine. Each change is audited in its own transaction. */
import { Type } from 'typebox'
import { columnsOf, sql, Time, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { JobState, JobView, StateFilter } from '../schemas.ts'
import { FoundJob } from '../jobs/find-job.ts'
import { viewJob, viewJobs } from '../jobs/view-job.ts'
import { cancelJob } from '../jobs/cancel-job.ts'
import { retrySameJob } from '../jobs/retry-job.ts'
import { allTypes } from '../types/list-types.ts'
import type { Operator, OperatorFilter } from '../face.ts'

const Line = Type.Object({
  sequence: Type.Integer(),
  type: Type.String(),
  data: Type.Unknown(),
  occurred_at: Time,
})

const states: Readonly<Record<StateFilter, readonly JobState[]>> = {
  pending: ['pending'],
  retryable: ['retryable'],
  queued: ['pending', 'retryable'],
  running: ['running'],
  succeeded: ['succeeded'],
  failed: ['failed'],
  cancelled: ['cancelled'],
  expired: ['expired'],
  terminal: ['succeeded', 'failed', 'cancelled', 'expired'],
}

export function openOperator(deps: Deps): Operator {
  const { db } = deps.kernel
  const changed = async (
    job_id: string,
    audit: { actor: string; action: string; reason: string | null },
    change: (tx: Tx, job: FoundJob) => Promise<void>,
  ) =>
    await db.tx(async tx => {
      const job = await find(tx, job_id)
      await change(tx, job)
      const { actor, action, reason } = audit
      tx.audit(action, job_id, { by: { tenant_id: job.tenant_id, id: actor }, reason })
      return await shown(tx, deps, job)
    })
  return {
    list: (filter, limit) => list(db, deps, filter, limit),
    show: async job_id => {
      const found = await find(db, job_id)
      return { job: await shown(db, deps, found), history: await historyOf(db, found) }
    },
    retry: (job_id, actor) =>
      changed(job_id, { actor, action: 'jobs.jobs.retry', reason: null }, (tx, job) =>
        retrySameJob(tx, deps, job),
      ),
    cancel: (job_id, actor, reason) =>
      changed(job_id, { actor, action: 'jobs.jobs.cancel', reason }, async (tx, job) => {
        const key = { tenant_id: job.tenant_id, job_id: job.id }
        const said = await cancelJob(tx, deps, key, reason)
        if (said === 'ended') throw problem('invalid_transition', { current_state: job.state })
      }),
    types: () => allTypes(db, deps),
  }
}

async function find(reader: Reader, job_id: string): Promise<FoundJob> {
  const found = await reader.maybe(
    FoundJob,
    sql`
    -- any tenant: the operator of the machine names the job
    select ${columnsOf(FoundJob, null)} from jobs.jobs where id = ${job_id}`,
  )
  if (!found) throw problem('job_not_found')
  return found
}

async function shown(reader: Reader, deps: Deps, { id, tenant_id }: FoundJob): Promise<JobView> {
  const job = await viewJob(reader, deps, { tenant_id, job_id: id })
  if (!job) throw problem('job_not_found')
  return job
}

async function list(
  reader: Reader,
  deps: Deps,
  { tenant_id, state, type }: OperatorFilter,
  limit: number,
): Promise<JobView[]> {
  return await viewJobs(
    reader,
    deps,
    sql`
    -- any tenant: the operator of the machine may see all
    select id, tenant_id from jobs.jobs
    where (${tenant_id ?? null}::uuid is null or tenant_id = ${tenant_id ?? null}::uuid)
      and (${type ?? null}::text is null or type = ${type ?? null}::text)
      and (${state === undefined}::boolean or state = any(${state ? states[state] : []}::text[]))
    order by id desc
    limit ${limit}`,
  )
}

async function historyOf(reader: Reader, { id, tenant_id }: FoundJob) {
  return await reader.many(
    Line,
    sql`
    select sequence, type, data, occurred_at from jobs.job_events
    where tenant_id = ${tenant_id} and job_id = ${id}
    order by sequence`,
  )
}
