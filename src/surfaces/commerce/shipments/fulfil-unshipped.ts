/** An order with nothing to send is fulfilled as soon as its money was taken. */
import type { Tx } from '../../../kernel/database/db.ts'
import { takeOut } from '../inventory/stock.ts'
import { linesOf } from '../orders/line-row.ts'
import type { OrderRow } from '../orders/order-row.ts'
import { countShipped, fulfilIfWhole } from './ship.ts'

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
