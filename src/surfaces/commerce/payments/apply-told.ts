/** The one door by which an order learns what became of its payment. */
import type { Tx } from '../../../kernel/database/db.ts'
import type { Deps } from '../deps.ts'
import { applyAuthorization } from './apply-authorization.ts'
import { applyCapture } from './apply-capture.ts'
import { applyRefund, applyVoid } from './apply-refund.ts'
import type { Told } from './ask-payments.ts'
import { findOperation, lockOperation, type OperationRow } from './operation-row.ts'

/** The operation after it. */
export async function applyTold(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  operation_id: string,
  told: Told,
): Promise<OperationRow> {
  const operation = await lockOperation(tx, operation_id)
  if (!operation) throw new Error(`there is no operation ${operation_id}`)
  if (told.kind === 'later') return operation
  await apply(tx, deps, operation, told)
  return (await findOperation(tx, operation_id)) ?? operation
}

async function apply(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  operation: OperationRow,
  told: Told,
): Promise<void> {
  switch (operation.type) {
    case 'authorize':
      return await applyAuthorization(tx, deps, operation, told)
    case 'capture':
      return await applyCapture(tx, operation, told)
    case 'refund':
      return await applyRefund(tx, operation, told)
    case 'void':
      return await applyVoid(tx, operation, told)
  }
}
