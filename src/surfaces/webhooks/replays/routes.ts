/** Sending again over HTTP: answered when it is recorded, done by the senders. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { replayDelivery } from './replay-delivery.ts'
import { Replay, Replayed } from './schemas.ts'

const path = '/v1/webhook-deliveries'
const absent = 'delivery_not_found'

export function replayRoutes(deps: Pick<Deps, 'kernel' | 'sender'>): readonly Route[] {
  return [replayRoute(deps)]
}

function replayRoute(deps: Pick<Deps, 'kernel' | 'sender'>): Route {
  return route({
    method: 'POST',
    path: `${path}/{id}/replay`,
    summary: 'Send a webhook delivery again, with the same bytes',
    description: 'One that still waits is sent now. Attempts are counted on.',
    permission: 'webhooks.deliveries.replay',
    idempotency: 'optional',
    absent,
    body: Replay,
    replies: { 202: Replayed },
    fails: [absent, 'subscription_not_active', 'payload_purged', 'rate_limited'],
    handle: async ({ tx, params: { id }, principal, body: { reason } }) => {
      const { tenant_id, id: actor } = principal
      const place = { tenant_id, id }
      const { subscription_id, replayed } = await replayDelivery(tx, deps, place, { actor, reason })
      tx.afterCommit(() => {
        deps.sender.poke([subscription_id])
        deps.kernel.wake()
      })
      return reply(202, replayed, { location: `${path}/${id}` })
    },
  })
}
