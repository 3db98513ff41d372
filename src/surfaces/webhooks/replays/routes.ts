/**
 * Routes of replays. A request only records the replay. The senders send the deliveries afterwards.
 */
import { routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { replayDelivery } from './replay-delivery.ts'
import { replayMany } from './replay-many.ts'
import { Replay, Replayed, ReplayingMany, ReplayMany } from './schemas.ts'

const path = '/v1/webhook-deliveries'

type Needed = Pick<Deps, 'kernel' | 'sender' | 'types' | 'jobs'>

const { open, post } = routesOf<Needed>({
  absent: 'delivery_not_found',
  permission: 'webhooks.deliveries.replay',
})

export const replayRoutes = open({
  replayWebhookDelivery: post(
    `${path}/{id}/replay`,
    'Replay a webhook delivery, with the same bytes',
    {
      tool: 'write',
      description: 'A delivery that still waits is sent now. The numbers of attempts continue.',
      idempotency: 'optional',
      body: Replay,
      replies: { 202: Replayed },
      location: `${path}/{id}`,
      fails: ['subscription_not_active', 'payload_purged', 'rate_limited'],
    },
    async ({ tx, params: { id }, principal, body: { reason } }, deps) => {
      const { tenant_id, id: actor } = principal
      const place = { tenant_id, id }
      const { subscription_id, replayed } = await replayDelivery(tx, deps, place, { actor, reason })
      tx.afterCommit(() => {
        deps.sender.poke([subscription_id])
        deps.kernel.wake()
      })
      return replayed
    },
  ),

  replayWebhookSubscription: post(
    '/v1/webhook-subscriptions/{id}/replay',
    'Replay the failed and missed deliveries of a webhook subscription in a time range',
    {
      description:
        'The time range is at most 14 days. A job schedules the deliveries at the rate of the ' +
        'subscription or 50 a second; live deliveries go first. If you cancel the job, deliveries that ' +
        'are not yet scheduled are not sent.',
      added: true,
      idempotency: 'optional',
      absent: 'subscription_not_found',
      body: ReplayMany,
      replies: { 202: ReplayingMany },
      location: '/v1/jobs/{job_id}',
      fails: [
        'subscription_not_active',
        'event_type_unknown',
        'validation_failed',
        'rate_limited',
        'quota_exceeded',
      ],
    },
    async ({ tx, params: { id }, principal, body }, deps) => {
      return await replayMany(tx, deps, id, body, principal)
    },
  ),
})
