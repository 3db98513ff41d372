/** Sends an operation that was just committed, and applies the outcome, for a caller that waits. */
import type { Deps } from '../deps.ts'
import { perform } from './perform.ts'
import { settleOperation } from './settle-operation.ts'

export async function carryOut(deps: Deps, operation_id: string): Promise<void> {
  const outcome = await perform(deps, operation_id, 'first')
  await deps.kernel.db.tx(async tx => {
    await settleOperation(tx, deps, operation_id, outcome)
    await deps.kernel.fault('payments.in_apply')
  })
}
