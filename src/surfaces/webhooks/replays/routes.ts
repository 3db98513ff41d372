/** Routes of replays. The reply is sent once the replay is recorded. The senders do the work. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { replayDelivery } from './replay-delivery.ts'
import { replayMany } from './replay-many.ts'
import { Replay, Replayed, ReplayingMany, ReplayMany } from './schemas.ts'

const path = '/v1/webhook-deliveries'
const absent = 'delivery_not_found'

type Needed = Pick<Deps, 'kernel' | 'sender' | 'types' | 'jobs'>

export function replayRoutes(deps: Needed): readonly Route[] {
  return [replayRoute(deps), replayManyRoute(deps)]
}

function replayRoute(deps: Pick<Deps, 'kernel' | 'sender'>): Route {
  return route({
    method: 'POST',
    path: `${path}/{id}/replay`,
    name: 'replayWebhookDelivery',
    summary: 'Send a webhook delivery again, with the same bytes',
    sends: ['location'],
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

function replayManyRoute(deps: Needed): Route {
  return route({
    method: 'POST',
    path: '/v1/webhook-subscriptions/{id}/replay',
    name: 'replayWebhookSubscription',
    summary: 'Send again what a webhook subscription failed to take, or missed, in a span of time',
    sends: ['location'],
    description:
      'A span of at most 14 days. The job schedules deliveries behind live ones, at the rate of the ' +
      'subscription or 50 a second; cancelling it stops those that are not scheduled yet.',
    permission: 'webhooks.deliveries.replay',
    added: true,
    idempotency: 'optional',
    absent: 'subscription_not_found',
    body: ReplayMany,
    replies: { 202: ReplayingMany },
    fails: [
      'subscription_not_found',
      'subscription_not_active',
      'event_type_unknown',
      'validation_failed',
      'rate_limited',
      'quota_exceeded',
    ],
    handle: async ({ tx, params: { id }, principal, body }) => {
      const { tenant_id, id: actor } = principal
      const accepted = await replayMany(tx, deps, { id, tenant_id }, body, actor)
      return reply(202, accepted, { location: `/v1/jobs/${accepted.job_id}` })
    },
  })
}
