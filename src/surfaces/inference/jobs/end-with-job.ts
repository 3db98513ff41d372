/**
 * An operation in a job follows the job: the transaction that ends or reopens the job changes the
 * operation too. That transaction also settles a reservation that is still open, because no process
 * will settle it later.
 */
import { Type } from 'typebox'
import { sql, type EndedJob, type JobIdentity, type Tx } from '#dodeca/kernel'
import { nextDeadline } from '../operations/resume-call.ts'
import { nothing_known, settleRun } from '../quotas/settle.ts'

const Open = Type.Object({
  id: Type.String(),
  run: Type.Integer(),
  state: Type.String(),
  retryable: Type.Boolean(),
})

export async function endWithJob(tx: Tx, job: EndedJob): Promise<void> {
  if (job.state === 'succeeded') return
  const { tenant_id } = job
  const found = await tx.maybe(
    Open,
    sql`
      select id, run, state, retryable from inference.inference_operations
      where tenant_id = ${tenant_id} and job_id = ${job.id}`,
  )
  if (!found) return
  const is_open = ['pending', 'running', 'reconciling'].includes(found.state)
  if (!is_open && !found.retryable) return
  const { id, run } = found
  await settleRun(tx, { tenant_id, operation_id: id, run }, { ...nothing_known, as: 'ambiguous' })
  const code = job.state === 'expired' ? 'capacity_deadline_missed' : job.error_code
  await tx.run(sql`
    update inference.inference_operations
    set state = ${job.state}, retryable = false, version = version + 1,
      error_code = coalesce(${code}, error_code, 'inference_cancelled'),
      completed_at = coalesce(completed_at, kernel.now())
    where tenant_id = ${tenant_id} and id = ${id} and run = ${run} and state = ${found.state}`)
}

/** The next attempt of the job is a separate run. */
export async function reopenWithJob(tx: Tx, { tenant_id, id }: JobIdentity): Promise<void> {
  await tx.run(sql`
    update inference.inference_operations
    set state = 'pending', error_code = null, retryable = false, completed_at = null,
      cancel_requested_at = null, provider_response_id = null, run = run + 1,
      deadline_at = ${nextDeadline}, version = version + 1
    where tenant_id = ${tenant_id} and job_id = ${id}
      and state in ('failed', 'cancelled', 'expired', 'blocked')`)
}
