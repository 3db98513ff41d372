/**
 * The consumers of commerce: they prepare confirmed orders, apply events of payments, send messages
 * about orders to buyers, and remove images whose files are gone.
 */
import { newId, sql, type Consumer, type LoggedEvent, type Tx } from '#dodeca/kernel'
import { followFiles } from './catalog/follow-files.ts'
import type { Deps } from './deps.ts'
import { buyerMessages } from './messages/notify-buyer.ts'
import { paymentsConsumer } from './payments/consume-payments.ts'
import { insertShipments } from './shipments/shipment-row.ts'

export function consumers(deps: Deps): readonly Consumer[] {
  return [fulfillment, paymentsConsumer, buyerMessages(deps), followFiles]
}

const fulfillment: Consumer = {
  name: 'commerce.fulfillment',
  events: ['OrderConfirmed'],
  run: (tx, event) => prepareOrders(tx, [event]),
  runAll: prepareOrders,
  portion: 50,
}

/** All together, because each statement in a row would keep the orders locked for longer. */
async function prepareOrders(tx: Tx, events: readonly LoggedEvent[]): Promise<void> {
  const rows = events.map(one => ({
    tenant_id: one.tenant_id,
    order_id: one.aggregate_id,
    id: newId(),
  }))
  await tx.run(sql`
    with confirmed as materialized (
      select o.tenant_id, o.id as order_id, w.id
      from ${sql.table(rows, { tenant_id: 'uuid', order_id: 'uuid', id: 'uuid' })} w
      join commerce.orders o on o.tenant_id = w.tenant_id and o.id = w.order_id
      where o.state = 'confirmed'
      order by o.tenant_id, o.id for update of o
    )
    ${insertShipments(sql`confirmed`)}`)
}
