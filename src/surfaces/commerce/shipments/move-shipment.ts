/** Marks a shipment as delivered or lost. */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { announceOrder, lockOrder, setPayment } from '../orders/order-row.ts'
import type { Key, Shipment } from '../schemas.ts'
import { findShipment } from './shipment-row.ts'

export async function moveShipment(tx: Tx, key: Key, to: 'delivered' | 'lost'): Promise<Shipment> {
  const { tenant_id, id } = key
  const moved = await tx.maybe(
    Type.Object({ order_id: Id }),
    sql`
      update commerce.shipments
      set state = ${to}, version = version + 1,
        delivered_at = case when ${to} = 'delivered' then kernel.now() end
      where tenant_id = ${tenant_id} and id = ${id} and state = 'shipped'
      returning order_id`,
  )
  const shipment = await findShipment(tx, key)
  if (!moved) {
    throw problem('invalid_transition', {
      current_state: shipment.state,
      detail: 'Only what was shipped is delivered or lost.',
    })
  }
  const order = await lockOrder(tx, { tenant_id, id: moved.order_id })
  if (order && to === 'delivered') {
    const moved_order = await setPayment(tx, order, order.payment_state)
    announceOrder(tx, moved_order, 'order.delivered', { shipment_id: shipment.id })
  }
  return shipment
}
