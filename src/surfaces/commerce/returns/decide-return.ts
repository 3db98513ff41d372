/**
 * Approves, rejects or cancels a return. After a rejection or a cancellation, the goods may be
 * returned again.
 */
import { Type } from 'typebox'
import { formatMoney, Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { linesOf } from '../orders/line-row.ts'
import type { OrderRow } from '../orders/order-row.ts'
import type { Key } from '../schemas.ts'
import { refundFor } from './refund-amount.ts'
import { announceReturn, lockReturn, moveReturn, type ReturnRow } from './return-row.ts'

export type Approval = {
  readonly refund_shipping: 'none' | 'full'
  readonly restocking_fee_minor: number
}

export async function approveReturn(
  tx: Tx,
  key: Key,
  principal: Principal,
  { refund_shipping, restocking_fee_minor }: Approval,
): Promise<ReturnRow> {
  const { order, found } = await lockReturn(tx, key)
  requireOther(principal, found)
  const most = await expectedRefund(tx, order, key, refund_shipping)
  if (BigInt(restocking_fee_minor) > most) {
    throw problem('restocking_fee_exceeds_refund', {
      detail: `The refund is ${formatMoney(Number(most), order.currency, 'en')}. Take at most that as a fee.`,
    })
  }
  const approved = await moveReturn(
    tx,
    key,
    ['requested'],
    'approved',
    sql`refund_shipping = ${refund_shipping}, restocking_fee_minor = ${restocking_fee_minor}`,
  )
  tx.audit('commerce.returns.approve', `return:${found.id}`)
  await announceReturn(tx, 'return.approved', approved, order)
  return approved
}

export async function rejectReturn(tx: Tx, key: Key, principal: Principal): Promise<ReturnRow> {
  const { order, found } = await lockReturn(tx, key)
  requireOther(principal, found)
  const rejected = await moveReturn(tx, key, ['requested'], 'rejected')
  await freeLines(tx, key)
  tx.audit('commerce.returns.reject', `return:${found.id}`)
  await announceReturn(tx, 'return.rejected', rejected, order)
  return rejected
}

/** Cancelled by its buyer, before anything was received. */
export async function cancelReturn(tx: Tx, key: Key, buyer_id: string): Promise<ReturnRow> {
  const { found } = await lockReturn(tx, key)
  if (found.buyer_id !== buyer_id) throw problem('return_not_found')
  const cancelled = await moveReturn(tx, key, ['requested', 'approved'], 'cancelled')
  await freeLines(tx, key)
  return cancelled
}

/** Buyers may not decide on their own refund. */
export function requireOther({ id }: Principal, { buyer_id }: ReturnRow): void {
  if (id !== buyer_id) return
  throw problem('permission_denied', {
    detail: 'This return is your own. Another person has to decide on it.',
  })
}

async function freeLines(tx: Tx, { tenant_id, id }: Key): Promise<void> {
  await tx.run(sql`
    update commerce.order_lines l
    set returned_quantity = l.returned_quantity - r.quantity
    from commerce.return_lines r
    where r.tenant_id = ${tenant_id} and r.return_id = ${id}
      and l.tenant_id = r.tenant_id and l.order_id = r.order_id and l.id = r.order_line_id`)
}

export const ReturnedLine = Type.Object({ order_line_id: Id, quantity: Type.Integer() })

/** The refund if all units come back. */
async function expectedRefund(
  tx: Tx,
  order: OrderRow,
  { tenant_id, id }: Key,
  refund_shipping: 'none' | 'full',
): Promise<bigint> {
  const returned = await tx.many(
    ReturnedLine,
    sql`
      select order_line_id, quantity from commerce.return_lines
      where tenant_id = ${tenant_id} and return_id = ${id}`,
  )
  const lines = await linesOf(tx, order)
  const goods = returned.reduce((sum, { order_line_id, quantity }) => {
    const line = lines.find(one => one.id === order_line_id)
    if (!line) return sum
    const units = { before: BigInt(line.refunded_quantity), now: BigInt(quantity) }
    const total_minor = BigInt(line.total_minor)
    return sum + refundFor({ ...units, total_minor, quantity: BigInt(line.quantity) })
  }, 0n)
  return goods + (refund_shipping === 'full' ? shippingOf(order) : 0n)
}

/** What is left to refund of the shipping price. It is refunded once for an order. */
export function shippingOf(order: OrderRow): bigint {
  return order.shipping_refunded ? 0n : shippingPaid(order)
}

export function shippingPaid(order: OrderRow): bigint {
  const { shipping_minor, shipping_discount_minor, shipping_tax_minor, prices_include_tax } = order
  const tax = prices_include_tax ? 0 : shipping_tax_minor
  return BigInt(shipping_minor - shipping_discount_minor + tax)
}
