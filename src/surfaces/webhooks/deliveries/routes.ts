/** Routes of deliveries: the requests that were sent, and the responses of the endpoint. */
import { equal, Id, looked, routesOf, sql, text } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { getDelivery, nextAttemptAt } from './read-deliveries.ts'
import { Delivery, DeliveryInFull, DeliveryState } from './schemas.ts'

const path = '/v1/webhook-deliveries'

const { open, get, list } = routesOf<{ readonly kernel: Kernel }>({
  absent: 'delivery_not_found',
  permission: 'webhooks.deliveries.read',
})

export const deliveryRoutes = open({
  listWebhookDeliveries: list(path, 'List webhook deliveries, newest event first', {
    tool: 'read',
    description: '`since` and `until` refer to the time of the event. `until` is exclusive.',
    from: 'webhooks.deliveries',
    row: Delivery,
    columns: { next_attempt_at: nextAttemptAt('t') },
    time: { column: 'occurred_at', ids: 'event_id' },
    filters: {
      subscription_id: equal(Id),
      event_id: equal(Id),
      state: looked(DeliveryState),
      type: looked(text(200), type => sql`t.event_type = ${type}`),
    },
    find: [],
  }),

  getWebhookDelivery: get(
    `${path}/{id}`,
    'Get a webhook delivery with its latest attempts and replays',
    { added: true, reply: DeliveryInFull },
    async ({ tx, params: { id }, principal: { tenant_id } }) =>
      await getDelivery(tx, { tenant_id, id }),
  ),
})
