/**
 * Sends a shipment. In one transaction its goods leave the stock, its lines count as shipped, and
 * the next shipment is opened with the rest. Lines that need no shipping count with the first
 * shipment.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { takeOut } from '../inventory/stock.ts'
import { linesOf, type LineRow } from '../orders/line-row.ts'
import { announceOrder, moveOrder, setPayment, type OrderRow } from '../orders/order-row.ts'
import type { Key, Shipment } from '../schemas.ts'
import { openShipment, shipmentColumns, ShipmentRow } from './shipment-row.ts'

/** Sends the shipment that waited for the capture, which has now succeeded. */
export async function shipWaiting(tx: Tx, order: OrderRow): Promise<void> {
  const waiting = await tx.maybe(
    ShipmentRow,
    sql`
      select ${shipmentColumns} from commerce.shipments s
      where s.tenant_id = ${order.tenant_id} and s.order_id = ${order.id}
        and s.state = 'awaiting_capture'`,
  )
  if (waiting) await ship(tx, order, waiting)
}

/** The capture failed, so the shipment that waited for it may be prepared again. */
export async function unshipWaiting(tx: Tx, { tenant_id, id }: Key): Promise<void> {
  await tx.run(sql`
    update commerce.shipments
    set state = 'preparing', lines = '[]', version = version + 1
    where tenant_id = ${tenant_id} and order_id = ${id} and state = 'awaiting_capture'`)
}

/** The order must be locked and confirmed. */
export async function ship(tx: Tx, order: OrderRow, shipment: Shipment): Promise<OrderRow> {
  const { tenant_id, id } = order
  const before = await linesOf(tx, order)
  const first = before.every(line => line.shipped_quantity === 0)
  const sent = [
    ...shipment.lines,
    ...before
      .filter(line => first && !line.requires_shipping)
      .map(line => ({ order_line_id: line.id, quantity: line.quantity })),
  ]
  const goods = await countShipped(tx, order, before, sent)
  await takeOut(tx, order, shipment.id, goods)
  await tx.run(sql`
    update commerce.shipments
    set state = 'shipped', shipped_at = kernel.now(), version = version + 1
    where tenant_id = ${tenant_id} and id = ${shipment.id}`)
  const state = order.payment_state
  const shipped = await setPayment(tx, order, state, sql`shipped_at = kernel.now()`)
  announceOrder(tx, shipped, 'order.shipped', {
    shipment_id: shipment.id,
    lines: sent.map(({ order_line_id, quantity }) => ({
      sku: before.find(line => line.id === order_line_id)?.sku ?? '',
      quantity,
    })),
  })
  await openShipment(tx, { tenant_id, id })
  return await fulfilIfWhole(tx, shipped)
}

export type Sent = Shipment['lines']

/** Adds the sent units to the lines. Returns the lines that are in stock. */
async function countShipped(
  tx: Tx,
  { tenant_id, id }: Key,
  before: readonly LineRow[],
  sent: Sent,
) {
  await tx.run(sql`
    update commerce.order_lines l
    set shipped_quantity = l.shipped_quantity + sent.quantity
    from unnest(${sent.map(one => one.order_line_id)}::uuid[],
      ${sent.map(one => one.quantity)}::int[]) as sent (id, quantity)
    where l.tenant_id = ${tenant_id} and l.order_id = ${id} and l.id = sent.id`)
  return sent.flatMap(({ order_line_id, quantity }) => {
    const line = before.find(one => one.id === order_line_id)
    return line?.track_inventory ? [{ sku: line.sku, quantity }] : []
  })
}

async function fulfilIfWhole(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const fulfilled = await moveOrder(tx, order, {
    to: 'fulfilled',
    reason_code: null,
    when: sql`not exists (
      select from commerce.order_lines l
      where l.tenant_id = o.tenant_id and l.order_id = o.id and l.shipped_quantity < l.quantity)`,
  })
  if (!fulfilled) return order
  announceOrder(tx, fulfilled, 'order.fulfilled')
  return fulfilled
}

/** An order that has nothing to ship is fulfilled when its payment is captured. */
export async function fulfilUnshipped(tx: Tx, order: OrderRow): Promise<void> {
  if (order.needs_shipping || order.state !== 'confirmed') return
  const lines = await linesOf(tx, order)
  const sent = lines
    .filter(line => line.shipped_quantity < line.quantity)
    .map(line => ({ order_line_id: line.id, quantity: line.quantity - line.shipped_quantity }))
  const goods = await countShipped(tx, order, lines, sent)
  await takeOut(tx, order, order.id, goods)
  await fulfilIfWhole(tx, order)
}
