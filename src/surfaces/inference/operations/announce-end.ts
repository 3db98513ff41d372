/**
 * Emits the event that a call has ended. For a call in a job nothing is emitted, because the job
 * emits its own event.
 */
import type { Tx } from '#dodeca/kernel'
import type { Settled } from '../quotas/settle.ts'
import type { Call } from './call.ts'

export type Ended = {
  readonly state: 'succeeded' | 'failed' | 'cancelled' | 'blocked'
  readonly finish_reason?: string
  readonly error_code?: string
  readonly spent?: Settled
}

export function announceEnd(
  tx: Pick<Tx, 'emit'>,
  call: Pick<Call, 'tenant_id' | 'id' | 'actor_id' | 'job_id'> & {
    readonly deployment: { readonly id: string }
  },
  { state, finish_reason, error_code, spent }: Ended,
  version: number,
): void {
  if (call.job_id !== null) return
  tx.emit({
    type: `inference.${state}`,
    tenant_id: call.tenant_id,
    aggregate_type: 'inference',
    aggregate_id: call.id,
    aggregate_version: version,
    data: {
      operation_id: call.id,
      actor_id: call.actor_id,
      model_deployment_id: call.deployment.id,
      finish_reason: finish_reason ?? null,
      error_code: error_code ?? null,
      usage: {
        input_units: spent?.input_units ?? 0,
        output_units: spent?.output_units ?? 0,
        cost_amount: spent?.cost ?? '0.00000000',
        currency: spent?.currency ?? 'USD',
      },
    },
  })
}
