/**
 * The consumers of commerce: they prepare confirmed orders, apply events of payments, and send
 * messages about orders to buyers.
 */
import type { Consumer } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { buyerMessages } from './messages/notify-buyer.ts'
import { lockOrder } from './orders/order-row.ts'
import { paymentsConsumer } from './payments/consume-payments.ts'
import { openShipment } from './shipments/shipment-row.ts'

export function consumers(deps: Deps): readonly Consumer[] {
  return [fulfillment, paymentsConsumer, buyerMessages(deps)]
}

const fulfillment: Consumer = {
  name: 'commerce.fulfillment',
  events: ['OrderConfirmed'],
  run: async (tx, { tenant_id, aggregate_id: id }) => {
    const order = await lockOrder(tx, { tenant_id, id })
    if (order?.state === 'confirmed') await openShipment(tx, order)
  },
}
