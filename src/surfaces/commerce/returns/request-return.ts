/**
 * A buyer requests the return of shipped goods. If two requests name the same unit, the lock on its
 * line decides.
 */
import { Type } from 'typebox'
import { newId, sql, type Reader, type RequestKey, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { lockOrder, type OrderRow } from '../orders/order-row.ts'
import { shopSettings } from '../rules/records.ts'
import { announceReturn, ReturnRow, returnColumns } from './return-row.ts'
import type { RequestReturn } from './schemas.ts'

const InTime = Type.Object({ in_time: Type.Boolean() })

export type Returning = {
  readonly tenant_id: string
  readonly buyer_id: string
  readonly key: RequestKey
  readonly given: RequestReturn
}

export async function requestReturn(tx: Tx, asked: Returning): Promise<ReturnRow> {
  const { tenant_id, buyer_id, key, given } = asked
  requireDistinct(given)
  const order = await lockOrder(tx, { tenant_id, id: given.order_id })
  if (!order || order.buyer_id !== buyer_id) throw problem('order_not_found')
  await requireReturnable(tx, order)
  const made = await tx.one(
    ReturnRow,
    sql`
      insert into commerce.returns as r (
        tenant_id, id, order_id, buyer_id, note, idempotency_key, request_fingerprint)
      values (
        ${tenant_id}, ${newId()}, ${order.id}, ${buyer_id}, ${given.note ?? null}, ${key.value},
        ${key.fingerprint})
      returning ${returnColumns}`,
  )
  for (const { order_line_id, quantity, reason_code } of given.lines) {
    const taken = await tx.run(sql`
      with taken as (
        update commerce.order_lines l
        set returned_quantity = l.returned_quantity + ${quantity}
        where l.tenant_id = ${tenant_id} and l.order_id = ${order.id} and l.id = ${order_line_id}
          and l.returned_quantity + ${quantity} <= l.shipped_quantity
        returning l.id)
      insert into commerce.return_lines (
        tenant_id, return_id, order_id, order_line_id, quantity, reason_code)
      select ${tenant_id}, ${made.id}, ${order.id}, taken.id, ${quantity}, ${reason_code}
      from taken`)
    if (taken === 1) continue
    throw problem('return_quantity_exceeded', {
      detail: 'Return at most what was shipped and is not being returned already.',
      more: { order_line_id },
    })
  }
  await announceReturn(tx, 'return.requested', made, order)
  return made
}

/** A line that is named twice would have two reasons and two quantities. */
function requireDistinct({ lines }: RequestReturn): void {
  const ids = lines.map(one => one.order_line_id)
  const at = ids.findIndex((id, place) => ids.indexOf(id) < place)
  if (at === -1) return
  throw problem('validation_failed', {
    detail: 'Name each line of the order once, with all units that come back.',
    errors: [
      { location: 'body', pointer: `/lines/${at}/order_line_id`, constraint: 'uniqueItems' },
    ],
  })
}

async function requireReturnable(tx: Tx, order: OrderRow): Promise<void> {
  const { shipped, in_time, days } = await returnWindow(tx, order)
  if (shipped && in_time) return
  throw problem('order_not_returnable', {
    current_state: order.state,
    detail: shipped
      ? `Goods are returned within ${days} days.`
      : 'Nothing of it was shipped. Cancel it instead.',
  })
}

/** Whether goods were shipped, and whether they may still be returned. */
export async function returnWindow(reader: Reader, order: OrderRow) {
  const { return_window_days: days } = await shopSettings(reader, order.tenant_id)
  const { in_time } = await reader.one(
    InTime,
    sql`
      select coalesce(${order.shipped_at ?? order.confirmed_at}::timestamptz
        > kernel.now() - make_interval(days => ${days}), false) as in_time`,
  )
  return { shipped: order.shipped_at !== null || order.state === 'fulfilled', in_time, days }
}
