/**
 * Submits one job in the caller's transaction. A key that was used before names the job that it made: the
 * unique index forbids a second one for as long as the first is kept, also when the kernel's record of
 * the request is gone.
 */
import { Type } from 'typebox'
import type { Tx, Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import { waitFor } from '../dependencies/wait-for.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { JobOrder, Submitted } from '../face.ts'
import { Bytes } from '../schemas.ts'
import { insertJobs, type NewJob } from './insert-jobs.ts'
import { checkOrder } from './check-order.ts'

export type SubmitDeps = Pick<Deps, 'kernel' | 'types' | 'listeners' | 'quota' | 'files'>

export async function submitJob(tx: Tx, deps: SubmitDeps, order: JobOrder): Promise<Submitted> {
  const job = await checkOrder(tx, deps, order)
  return await placeJob(tx, deps, job, order.depends_on ?? [])
}

export async function placeJob(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'listeners' | 'quota'>,
  job: NewJob,
  depends_on: NonNullable<JobOrder['depends_on']>,
): Promise<Submitted> {
  await deps.quota.require(tx, job.tenant_id, 1)
  const made = await insertJobs(tx, [job])
  if (!made.has(job.id)) return { id: await madeBefore(tx, job), existing: true }
  if (depends_on.length > 0) await waitFor(tx, deps.listeners, job, depends_on)
  tx.afterCommit(deps.kernel.wake)
  return { id: job.id, existing: false }
}

const Before = Type.Object({ id: Type.String(), request_fingerprint: nullable(Bytes) })

/** The job that was made with this key, if it was asked for in the same words. */
export async function madeBefore(
  tx: Tx,
  job: Pick<
    NewJob,
    'tenant_id' | 'principal_id' | 'operation' | 'idempotency_key' | 'request_fingerprint'
  >,
): Promise<string> {
  const before = await tx.maybe(
    Before,
    sql`
    select id, request_fingerprint from jobs.jobs
    where tenant_id = ${job.tenant_id} and principal_id = ${job.principal_id}
      and operation = ${job.operation} and idempotency_key = ${job.idempotency_key}`,
  )
  const { request_fingerprint: print } = job
  const same = before && (print === null || before.request_fingerprint?.equals(print) === true)
  if (!same) throw problem('idempotency_key_reused')
  return before.id
}

export type WaitingQuota = {
  /** Refuses where these would be too many. */
  require(reader: Reader, tenant_id: string, jobs: number): Promise<void>
}

type Known = { waiting: number; until_ms: number }

const Count = Type.Object({ waiting: Type.Integer() })
const longest_ms = 1000
const rest_factor = 100
const known_max = 10_000

export function openWaitingQuota(limit: number): WaitingQuota {
  const known = new Map<string, Known>()
  return {
    require: async (reader, tenant_id, jobs) => {
      const last = known.get(tenant_id)
      if (last && performance.now() < last.until_ms && last.waiting + jobs <= limit) {
        last.waiting += jobs
        return
      }
      const began_ms = performance.now()
      const { waiting } = await reader.one(
        Count,
        sql`
        select count(*)::int as waiting from (
          select from jobs.job_queue where tenant_id = ${tenant_id} limit ${limit + 1}
        ) q`,
      )
      const now_ms = performance.now()
      known.delete(tenant_id)
      if (known.size >= known_max)
        for (const oldest of known.keys()) if (known.delete(oldest)) break
      if (waiting + jobs > limit) {
        throw problem('quota_exceeded', { detail: `The tenant has ${waiting} jobs waiting.` })
      }
      const until_ms = now_ms + Math.min(longest_ms, rest_factor * (now_ms - began_ms))
      known.set(tenant_id, { waiting: waiting + jobs, until_ms })
    },
  }
}
