/** The only function that writes the outcome of a payment to its order, with both rows locked. */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Order } from '../orders/order-view.ts'
import { applyAuthorization } from './apply-authorization.ts'
import { applyCapture } from './apply-capture.ts'
import { applyRefund, applyVoid } from './apply-refund.ts'
import type { Answer } from './ask-payments.ts'
import { isOpen, lockOperation, type Operation } from './operations.ts'

export type Applied = {
  readonly operation: Operation
  /** The order as shown in replies, if it was confirmed now. */
  readonly confirmed?: Order | undefined
}

/** Changes nothing if the operation has ended or the outcome is not known yet. */
export async function applyAnswer(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'payments'>,
  operation_id: string,
  answer: Answer,
): Promise<Applied> {
  const locked = await lockOperation(tx, operation_id)
  if (!locked) throw new Error(`there is no operation ${operation_id}`)
  const { operation, order } = locked
  if (answer.kind === 'later' || !isOpen(operation)) return { operation }
  switch (operation.type) {
    case 'authorize':
      return {
        operation,
        confirmed: await applyAuthorization(tx, deps, operation, order, answer),
      }
    case 'capture':
      await applyCapture(tx, operation, order, answer)
      break
    case 'refund':
      await applyRefund(tx, operation, order, answer)
      break
    case 'void':
      await applyVoid(tx, operation, order, answer)
      break
  }
  return { operation }
}
