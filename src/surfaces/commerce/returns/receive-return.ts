/**
 * Receives returned goods: the received units are counted, restocked if they are good, and refunded
 * with exact parts of their line. Units that did not arrive may be returned again. A fee is at most
 * the refund. What the provider cannot pay exactly waits for the next return.
 */
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { adjust } from '../inventory/stock.ts'
import { linesOf, type LineRow } from '../orders/line-row.ts'
import { setPayment, type OrderRow } from '../orders/order-row.ts'
import type { Key } from '../schemas.ts'
import { requireOther, ReturnedLine, shippingOf, shippingPaid } from './decide-return.ts'
import { payable, refundFor } from './refund-amount.ts'
import { requestRefund } from './request-refund.ts'
import { announceReturn, lockReturn, moveReturn, type ReturnRow } from './return-row.ts'
import type { ReceiveReturn } from './schemas.ts'

export async function receiveReturn(
  tx: Tx,
  { payments }: Pick<Deps, 'payments'>,
  key: Key,
  principal: Principal,
  given: ReceiveReturn,
): Promise<ReturnRow> {
  const { tenant_id, id } = key
  const { order, found } = await lockReturn(tx, key)
  requireOther(principal, found)
  const expected = await tx.many(
    ReturnedLine,
    sql`
      select order_line_id, quantity from commerce.return_lines
      where tenant_id = ${tenant_id} and return_id = ${id} order by order_line_id`,
  )
  requireAll(given, expected)
  const received = await moveReturn(tx, key, ['approved'], 'received')
  tx.audit('commerce.returns.receive', `return:${found.id}`)
  await announceReturn(tx, 'return.received', received, order)
  const lines = await linesOf(tx, order)
  let goods = 0n
  for (const line of lines.toSorted(bySku)) {
    const one = given.lines.find(each => each.order_line_id === line.id)
    const quantity = expected.find(each => each.order_line_id === line.id)?.quantity ?? 0
    if (one) goods += await receiveLine(tx, key, { order_id: order.id, line, quantity, ...one })
  }
  const shipping = found.refund_shipping === 'full' ? shippingOf(order) : 0n
  if (shipping > 0n) {
    await setPayment(tx, order, order.payment_state, sql`shipping_refunded = true`)
  }
  const refund = payable({
    before: owedBefore(order, lines),
    now: goods + shipping,
    fee: BigInt(found.restocking_fee_minor),
    step: BigInt(payments.stepOf(order.currency, order.payment_account)),
  })
  return await requestRefund(tx, order, received, Number(refund))
}

/** The lines and the order are as they were before this return. */
function owedBefore(order: OrderRow, lines: readonly LineRow[]): bigint {
  const shipping = order.shipping_refunded ? shippingPaid(order) : 0n
  return lines.reduce(
    (sum, line) =>
      sum +
      refundFor({
        total_minor: BigInt(line.total_minor),
        quantity: BigInt(line.quantity),
        before: 0n,
        now: BigInt(line.refunded_quantity),
      }),
    shipping,
  )
}

/** Stock is locked in this order, as everywhere. */
function bySku(a: LineRow, b: LineRow): number {
  if (a.sku === b.sku) return 0
  return a.sku < b.sku ? -1 : 1
}

type Received = {
  readonly order_id: string
  readonly line: LineRow
  readonly quantity: number
  readonly received_quantity: number
  readonly restock: boolean
}

async function receiveLine(
  tx: Tx,
  { tenant_id, id }: Key,
  { order_id, line, quantity, received_quantity, restock }: Received,
): Promise<bigint> {
  const refund = refundFor({
    total_minor: BigInt(line.total_minor),
    quantity: BigInt(line.quantity),
    before: BigInt(line.refunded_quantity),
    now: BigInt(received_quantity),
  })
  await tx.run(sql`
    update commerce.return_lines
    set received_quantity = ${received_quantity}, restock = ${restock},
      refund_minor = ${Number(refund)}::bigint
    where tenant_id = ${tenant_id} and return_id = ${id} and order_line_id = ${line.id}`)
  await tx.run(sql`
    update commerce.order_lines
    set returned_quantity = returned_quantity - ${quantity - received_quantity},
      refunded_quantity = refunded_quantity + ${received_quantity}
    where tenant_id = ${tenant_id} and order_id = ${order_id} and id = ${line.id}`)
  if (restock && line.track_inventory && received_quantity > 0) {
    const back = { tenant_id, sku: line.sku, delta: received_quantity, cause_id: id }
    await adjust(tx, { ...back, reason: 'returned' })
  }
  return refund
}

function requireAll(
  { lines }: ReceiveReturn,
  expected: readonly { readonly order_line_id: string; readonly quantity: number }[],
): void {
  const named = new Set(lines.map(one => one.order_line_id))
  const fits = lines.every(({ order_line_id, received_quantity }) =>
    expected.some(one => one.order_line_id === order_line_id && received_quantity <= one.quantity),
  )
  if (fits && named.size === expected.length && lines.length === expected.length) return
  throw problem('return_quantity_exceeded', {
    detail: 'Say of each line of the return, once, how many came: 0 to what was asked for.',
    more: { lines: expected },
  })
}
