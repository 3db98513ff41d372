/**
 * Cancels a call of the caller. One conditional update records the cancel. The process that runs
 * the call reads it immediately and settles the call. A call in a job is cancelled together with
 * its job.
 */
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { cancel_topic } from '../operations/calls.ts'
import { findOperation } from '../operations/find-operation.ts'
import type { OperationRow } from '../operations/read-operation.ts'

export async function cancelCall(
  tx: Tx,
  { jobs }: Pick<Deps, 'jobs'>,
  principal: Principal,
  id: string,
): Promise<{ readonly row: OperationRow; readonly is_over: boolean }> {
  const { tenant_id } = principal
  const before = await findOperation(tx, principal, id)
  if (before.job_id === null) {
    await tx.run(sql`
      update inference.inference_operations
      set cancel_requested_at = kernel.now(), version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and state in ('running', 'reconciling')
        and cancel_requested_at is null`)
    tx.wake(cancel_topic)
  } else if (before.state !== 'cancelled') {
    await jobs.cancel(tx, { tenant_id, job_id: before.job_id })
  }
  const row = await findOperation(tx, principal, id)
  if (row.completed_at === null) return { row, is_over: false }
  if (row.state !== 'cancelled') {
    throw problem('invalid_transition', { current_state: row.state })
  }
  return { row, is_over: true }
}
