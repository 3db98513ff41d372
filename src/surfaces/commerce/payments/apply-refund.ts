/** What a refund or the release of an authorization means for its order and the return behind it. */
import type { Tx } from '../../../kernel/database/db.ts'
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, nullable } from '../../../kernel/http/shapes.ts'
import { lockOrder, setPayment, type OrderRow } from '../orders/order-row.ts'
import { endRefund } from '../returns/end-refund.ts'
import type { Told } from './ask-payments.ts'
import { settleOperation, type OperationRow } from './operation-row.ts'

const Refund = Type.Object({ return_id: nullable(Id) })

export async function applyRefund(tx: Tx, operation: OperationRow, told: Told): Promise<void> {
  const { tenant_id, order_id } = operation
  const order = await lockOrder(tx, { tenant_id, id: order_id })
  if (!order || told.kind === 'later' || told.kind === 'payment') return
  const state = told.kind === 'refund' ? told.result.status : 'failed'
  if (!(await settleOperation(tx, operation, state, told)) || state === 'pending') return
  const refund = await tx.maybe(
    Refund,
    sql`
      update commerce.refunds set state = ${state}
      where tenant_id = ${tenant_id} and id = ${operation.id} and state = 'pending'
      returning return_id`,
  )
  const succeeded = state === 'succeeded'
  // One that failed leaves what is captured as it was.
  await addRefunded(tx, order, succeeded ? operation.amount_minor : 0)
  if (refund?.return_id) {
    await endRefund(tx, order, { tenant_id, id: refund.return_id }, succeeded)
  }
}

/** The money of a cancelled or expired order is released, or refunded where it had been captured. */
export async function applyVoid(tx: Tx, operation: OperationRow, told: Told): Promise<void> {
  const { tenant_id, order_id } = operation
  const order = await lockOrder(tx, { tenant_id, id: order_id })
  if (!order || told.kind === 'later') return
  if (told.kind === 'refused') throw new Error(`a release was refused: ${told.code}`)
  const { status } = told.result
  if (status === 'pending') {
    await settleOperation(tx, operation, 'pending', told.result)
    return
  }
  if (!(await settleOperation(tx, operation, 'succeeded', told.result))) return
  if (told.kind === 'payment') return void (await setPayment(tx, order, 'released'))
  await addRefunded(tx, order, order.amount_captured_minor - order.amount_refunded_minor)
}

/** Money that went back, by a return of ours or by a refund that somebody made at payments. */
export async function addRefunded(tx: Tx, order: OrderRow, by_minor: number): Promise<OrderRow> {
  const refunded = order.amount_refunded_minor + by_minor
  const all = refunded >= order.amount_captured_minor
  const some = refunded === 0 ? 'captured' : 'partially_refunded'
  const state = all ? 'refunded' : some
  return await setPayment(tx, order, state, sql`amount_refunded_minor = ${refunded}`)
}
