/** Routes of deliveries: the requests that were sent, and the responses of the endpoint. */
import { page } from '../../../kernel/http/page.ts'
import { reply } from '../../../kernel/http/reply.ts'
import { routesOf } from '../../../kernel/http/routes-of.ts'
import { getDelivery, listDeliveries } from './read-deliveries.ts'
import { Delivery, DeliveryInFull, DeliveryPage, DeliveryQuery } from './schemas.ts'

const path = '/v1/webhook-deliveries'

const { open, get } = routesOf({
  absent: 'delivery_not_found',
  permission: 'webhooks.deliveries.read',
})

export const deliveryRoutes = open({
  listWebhookDeliveries: get(
    path,
    'List webhook deliveries, newest event first',
    {
      description: '`since` and `until` refer to the time of the event. `until` is exclusive.',
      query: DeliveryQuery,
      reply: DeliveryPage,
    },
    async ({ tx, principal: { tenant_id }, query, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Delivery,
        place: ['id'],
        fetch: (after, n) => listDeliveries(tx, { tenant_id, after: after.id, fetch: n }, query),
      })
      return reply(200, body, headers)
    },
  ),

  getWebhookDelivery: get(
    `${path}/{id}`,
    'Get a webhook delivery with its latest attempts and replays',
    { added: true, reply: DeliveryInFull },
    async ({ tx, params: { id }, principal: { tenant_id } }) =>
      await getDelivery(tx, { tenant_id, id }),
  ),
})
