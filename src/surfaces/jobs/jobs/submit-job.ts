/**
 * Submits one job in the caller's transaction. If the key or id was used before, the existing job is
 * returned. The unique index forbids a second job with the key while the first is stored, even if
 * the kernel's record of the request was deleted.
 */
import { Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import { requireReadable, waitFor, type Reads } from '../dependencies/wait-for.ts'
import type { Deps } from '../deps.ts'
import { runner_topic } from '../topics.ts'
import { problem } from '../errors.ts'
import type { JobOrder, Submitted } from '../face.ts'
import { Bytes } from '../schemas.ts'
import { insertJobs, type NewJob } from './insert-jobs.ts'
import { checkOrder } from './check-order.ts'

export type SubmitDeps = Pick<Deps, 'kernel' | 'types' | 'listeners' | 'quota' | 'files'>

/** `reads` limits the jobs that it may wait for. An order of the platform itself has no limit. */
export async function submitJob(
  tx: Tx,
  deps: SubmitDeps,
  order: JobOrder,
  reads?: Reads,
): Promise<Submitted> {
  const job = await checkOrder(tx, deps, order)
  return await placeJob(tx, deps, job, order.depends_on ?? [], reads)
}

export async function placeJob(
  tx: Tx,
  deps: Pick<Deps, 'listeners' | 'quota'>,
  job: NewJob,
  depends_on: NonNullable<JobOrder['depends_on']>,
  reads?: Reads,
): Promise<Submitted> {
  await deps.quota.require(tx, job.tenant_id, 1, job.run ? 1 : 0)
  const made = await insertJobs(tx, [job])
  if (!made.has(job.id)) return { id: await madeBefore(tx, job), existing: true }
  if (depends_on.length > 0) {
    if (reads) await requireReadable(tx, job, depends_on, reads)
    await waitFor(tx, deps.listeners, job, depends_on)
  }
  tx.wake(runner_topic)
  return { id: job.id, existing: false }
}

const Before = Type.Object({ id: Type.String(), request_fingerprint: nullable(Bytes) })

/** The job that was created with this key or id, if the order is the same. */
export async function madeBefore(
  tx: Tx,
  job: Pick<
    NewJob,
    'id' | 'tenant_id' | 'principal_id' | 'operation' | 'idempotency_key' | 'request_fingerprint'
  >,
): Promise<string> {
  const which =
    job.idempotency_key === null
      ? sql`id = ${job.id}`
      : sql`principal_id = ${job.principal_id} and operation = ${job.operation}
          and idempotency_key = ${job.idempotency_key}`
  const before = await tx.maybe(
    Before,
    sql`
    select id, request_fingerprint from jobs.jobs
    where tenant_id = ${job.tenant_id} and ${which}`,
  )
  const { request_fingerprint: print } = job
  const same = before && (print === null || before.request_fingerprint?.equals(print) === true)
  if (!same) throw problem('idempotency_key_reused')
  return before.id
}
