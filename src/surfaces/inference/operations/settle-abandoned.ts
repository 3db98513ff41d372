/**
 * Ends a run whose process has died. If the run was sent or may have been sent, it is charged as
 * reserved. If it was never sent, everything is released. Then a retry with the same key, or of its
 * job, may run the operation again.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { nothing_known, settleRun, type RunKey } from '../quotas/settle.ts'
import { announceEnd } from './announce-end.ts'

const Ended = Type.Object({
  actor_id: Type.String(),
  job_id: Type.Union([Type.String(), Type.Null()]),
  model_deployment_id: Type.String(),
  state: Type.String(),
  version: Type.Integer(),
})

/** False if another process has settled it. */
export async function settleAbandoned(
  tx: Tx,
  key: RunKey & { readonly dispatched: boolean },
): Promise<boolean> {
  const { tenant_id, operation_id, run, dispatched } = key
  const as = dispatched ? 'ambiguous' : 'released'
  const spent = await settleRun(tx, key, { ...nothing_known, as })
  if (!spent) return false
  await tx.run(sql`
    update inference.inference_attempts
    set state = 'ambiguous', error_code = 'interrupted'
    where tenant_id = ${tenant_id} and operation_id = ${operation_id} and state = 'started'`)
  const ended = await tx.maybe(
    Ended,
    sql`
      update inference.inference_operations
      set state = case when cancel_requested_at is null then 'failed' else 'cancelled' end,
        error_code = case when cancel_requested_at is null
          then 'service_unavailable' else 'inference_cancelled' end,
        retryable = cancel_requested_at is null, completed_at = kernel.now(), version = version + 1
      where tenant_id = ${tenant_id} and id = ${operation_id} and run = ${run}
        and state in ('running', 'reconciling')
      returning actor_id, job_id, model_deployment_id, state, version`,
  )
  if (!ended) return true
  const { actor_id, job_id, model_deployment_id, version } = ended
  const state = ended.state === 'failed' ? 'failed' : 'cancelled'
  announceEnd(
    tx,
    { tenant_id, id: operation_id, actor_id, job_id, deployment: { id: model_deployment_id } },
    {
      state,
      error_code: state === 'failed' ? 'service_unavailable' : 'inference_cancelled',
      spent,
    },
    version,
  )
  return true
}
