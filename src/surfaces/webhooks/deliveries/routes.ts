/** Routes of deliveries: the requests that were sent, and the responses of the endpoint. */
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { getDelivery, listDeliveries } from './read-deliveries.ts'
import { Delivery, DeliveryInFull, DeliveryPage, DeliveryQuery } from './schemas.ts'

const path = '/v1/webhook-deliveries'
const absent = 'delivery_not_found'
const permission = 'webhooks.deliveries.read'

export function deliveryRoutes(): readonly Route[] {
  return [listRoute(), getRoute()]
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path,
    name: 'listWebhookDeliveries',
    summary: 'List webhook deliveries, newest event first',
    description: '`since` and `until` refer to the time of the event. `until` is exclusive.',
    permission,
    query: DeliveryQuery,
    replies: { 200: DeliveryPage },
    handle: async ({ tx, principal: { tenant_id }, query, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Delivery,
        place: ['id'],
        fetch: (after, n) => listDeliveries(tx, { tenant_id, after: after.id, fetch: n }, query),
      })
      return reply(200, body, headers)
    },
  })
}

function getRoute(): Route {
  return route({
    method: 'GET',
    path: `${path}/{id}`,
    name: 'getWebhookDelivery',
    summary: 'Get a webhook delivery with its latest attempts and replays',
    permission,
    added: true,
    absent,
    replies: { 200: DeliveryInFull },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal: { tenant_id } }) =>
      reply(200, await getDelivery(tx, { tenant_id, id })),
  })
}
