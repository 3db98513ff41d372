/** What commerce does when something was announced: prepare, follow the money, write to buyers. */
import type { Consumer } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { buyerMessages } from './messages/tell-buyer.ts'
import { lockOrder } from './orders/order-row.ts'
import { paymentsConsumer } from './payments/hear-payments.ts'
import { openShipment } from './shipments/open-shipment.ts'

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
