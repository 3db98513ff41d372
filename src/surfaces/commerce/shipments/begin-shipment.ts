/**
 * Begins a shipment. Under the lock of the order it decides which lines are sent, and whether the
 * payment must be captured first. The whole total is captured with the first shipment, because a
 * payment is captured once.
 */
import { sql, type RequestKey, type Tx } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { linesOf } from '../orders/line-row.ts'
import { lockOrder, type OrderRow } from '../orders/order-row.ts'
import { requestOperation } from '../payments/operations.ts'
import type { Key } from '../schemas.ts'
import { ship, type Sent } from './ship.ts'
import { openShipment, shipmentColumns, ShipmentRow } from './shipment-row.ts'

export type Shipping = {
  readonly order: Key
  readonly lines: Sent
  readonly carrier: string | null
  readonly tracking_number: string | null
  readonly principal_id: string
  readonly key: RequestKey
  readonly operation_id: string
}

const queue_after_seconds = 20

/** `waits` is the capture that the shipment waits for. */
export async function beginShipment(
  tx: Tx,
  { payments }: Pick<Deps, 'payments'>,
  asked: Shipping,
): Promise<{ readonly shipment_id: string; readonly waits: boolean }> {
  const order = await lockOrder(tx, asked.order)
  if (!order) throw problem('order_not_found')
  if (order.state !== 'confirmed' || !order.needs_shipping) {
    throw problem('order_not_shippable', {
      current_state: order.state,
      detail: 'Only a confirmed order with something to send is shipped.',
    })
  }
  if (order.buyer_erased) throw problem('buyer_erased')
  await requireQuantities(tx, order, asked.lines)
  // The consumer that prepares shipments may not have handled this order yet.
  await openShipment(tx, order)
  const waits = order.total_minor > 0 && order.amount_captured_minor === 0
  if (waits) {
    const accepting = payments.accepting(order.payment_account ?? '')
    await requireCapturable(tx, order, accepting)
  }
  const shipment = await takeOpen(tx, asked, waits)
  if (!waits) await ship(tx, order, shipment)
  else {
    await requestOperation(tx, {
      tenant_id: order.tenant_id,
      id: asked.operation_id,
      order_id: order.id,
      type: 'capture',
      amount_minor: order.total_minor,
      after_seconds: queue_after_seconds,
    })
  }
  return { shipment_id: shipment.id, waits }
}

async function requireQuantities(tx: Tx, order: OrderRow, sent: Sent): Promise<void> {
  const lines = await linesOf(tx, order)
  const named = new Set(sent.map(one => one.order_line_id))
  const errors = [...named].flatMap(id => {
    const line = lines.find(one => one.id === id)
    const quantity = sent
      .filter(one => one.order_line_id === id)
      .reduce((sum, one) => sum + one.quantity, 0)
    const left = line?.requires_shipping ? line.quantity - line.shipped_quantity : 0
    return quantity > left ? [{ order_line_id: id, requested: quantity, left }] : []
  })
  if (errors.length === 0 && named.size === sent.length) return
  throw problem('shipment_quantity_exceeded', {
    detail: 'Ship at most what is left of each line, and name each line once.',
    more: { lines: errors },
  })
}

const Held = Type.Object({ held: Type.Boolean(), busy: Type.Boolean() })

async function requireCapturable(tx: Tx, order: OrderRow, accepting: boolean): Promise<void> {
  const { tenant_id, id, payment_state, authorization_expires_at } = order
  const { held, busy } = await tx.one(
    Held,
    sql`
      select coalesce(${authorization_expires_at}::timestamptz > kernel.now(), true) as held,
        exists (
          select from commerce.payment_operations
          where tenant_id = ${tenant_id} and order_id = ${id} and type = 'capture'
            and state <> 'failed') as busy`,
  )
  if (busy) throw capturePending()
  if (payment_state !== 'authorized' || !held) {
    throw problem('payment_not_capturable', {
      current_state: payment_state,
      detail: 'The money is not held any more. Cancel the order, and let the buyer order again.',
    })
  }
  if (!accepting) throw problem('payment_provider_unavailable')
}

async function takeOpen(tx: Tx, asked: Shipping, waits: boolean) {
  const { tenant_id, id } = asked.order
  const state = waits ? 'awaiting_capture' : 'preparing'
  const taken = await tx.maybe(
    ShipmentRow,
    sql`
      update commerce.shipments s
      set state = ${state}, lines = ${sql.json(asked.lines)}::jsonb, carrier = ${asked.carrier},
        tracking_number = ${asked.tracking_number}, principal_id = ${asked.principal_id},
        idempotency_key = ${asked.key.value}, request_fingerprint = ${asked.key.fingerprint},
        version = s.version + 1
      where s.tenant_id = ${tenant_id} and s.order_id = ${id} and s.state = 'preparing'
      returning ${shipmentColumns}`,
  )
  if (taken) return taken
  throw capturePending()
}

/** The other shipment ends soon, so that the same request may then succeed. */
function capturePending() {
  return problem('capture_pending', {
    retry_after: 2,
    headers: { 'retry-after': '2' },
    detail: 'Another shipment of this order waits for its money. Try again in a moment.',
  })
}
