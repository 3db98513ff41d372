/**
 * Routes of replays. A request only records the replay. The senders send the deliveries afterwards.
 */
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
    summary: 'Replay a webhook delivery, with the same bytes',
    sends: ['location'],
    description: 'A delivery that still waits is sent now. The numbers of attempts continue.',
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
    summary: 'Replay the failed and missed deliveries of a webhook subscription in a time range',
    sends: ['location'],
    description:
      'The time range is at most 14 days. A job schedules the deliveries at the rate of the ' +
      'subscription or 50 a second; live deliveries go first. If you cancel the job, deliveries that ' +
      'are not yet scheduled are not sent.',
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
