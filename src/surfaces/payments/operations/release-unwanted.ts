/**
 * A release was requested while the provider was still authorizing the payment, and the answer of
 * the provider came first. The commit that applies the answer also begins the cancellation.
 */
import { newId, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { beginOperation } from './begin-operation.ts'
import type { IntentRow, OperationRow } from './rows.ts'

/**
 * `authorize` is the operation that was open before the answer was applied. Returns whether the
 * payment is cancelled.
 */
export async function releaseUnwanted(
  tx: Tx,
  deps: Deps,
  { tenant_id, id, state, amount_authorized_minor }: IntentRow,
  authorize: OperationRow | undefined,
): Promise<boolean> {
  const reason = authorize?.release_wanted ?? null
  if (reason === null || (state !== 'authorized' && state !== 'requires_action')) return false
  await beginOperation(tx, deps, {
    operation_id: newId(),
    tenant_id,
    intent_id: id,
    type: 'cancel',
    principal_id: null,
    key: null,
    amount_minor: amount_authorized_minor,
    reason,
    by_resolver: true,
  })
  return true
}
