/**
 * Routes of subscriptions: create, read, change and delete a subscription, rotate its secret, and
 * send a test event.
 */
import { equal, oneOf, reply, routesOf, sql, viewTag } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import {
  CreateSubscription,
  HealthySubscription,
  NewSubscription,
  RotatedSecret,
  RotateSecret,
  Subscription,
  TestAccepted,
  TestEvent,
  UpdateSubscription,
} from '../schemas.ts'
import { awaitClaims } from './await-claims.ts'
import { createSubscription } from './create-subscription.ts'
import { deleteSubscription } from './delete-subscription.ts'
import { viewOf } from './find.ts'
import { getSubscription, health_columns, healthyView, HealthyRow } from './read-subscriptions.ts'
import { rotateSecret } from './rotate-secret.ts'
import { sendTestEvent } from './send-test-event.ts'
import { updateSubscription } from './update-subscription.ts'

const { open, create, list, get, patch, del, post } = routesOf<Deps>({
  absent: 'subscription_not_found',
  read: 'webhooks.subscriptions.read',
  write: 'webhooks.subscriptions.write',
})

const path = '/v1/webhook-subscriptions'
const one = `${path}/{id}`
const no_store = { 'cache-control': 'no-store' }

const refusals = [
  'endpoint_not_allowed',
  'event_type_unknown',
  'api_version_unsupported',
  'permission_denied',
  'validation_failed',
]

/** Names of other APIs. */
const instead = {
  filter: 'event_filter',
  events: 'event_filter',
  rate_limit: 'rate_per_second',
} as const

export const subscriptionRoutes = open({
  createWebhookSubscription: create(
    path,
    'Subscribe an endpoint to events',
    {
      sends: ['etag', 'location'],
      description:
        'The secret is shown only in this reply, and in repeats of the request with the same `Idempotency-Key`. No event is sent before the endpoint has answered the challenge.',
      idempotency: 'optional',
      record: 'sealed',
      body: CreateSubscription,
      instead,
      reply: NewSubscription,
      fails: [...refusals, 'quota_exceeded', 'subscription_not_found'],
    },
    async ({ tx, body, principal, grants }, deps) => {
      const owner = { principal, grants: await grants() }
      const made = await createSubscription(tx, deps, body, owner)
      if (made.verification.mode === 'auto') tx.afterCommit(deps.kernel.wake)
      return reply(201, made, no_store)
    },
  ),

  listWebhookSubscriptions: list(
    path,
    'List webhook subscriptions with their health, newest first',
    {
      added: true,
      from: 'webhooks.subscriptions',
      row: HealthyRow,
      columns: health_columns,
      item: HealthySubscription,
      view: healthyView,
      where: sql`t.state <> 'deleted'`,
      time: 'id',
      filters: { state: equal(oneOf('created', 'active', 'paused', 'disabled')) },
      find: [],
    },
  ),

  getWebhookSubscription: get(
    one,
    'Get a webhook subscription with its health',
    { sends: ['etag'], added: true, reply: HealthySubscription },
    async ({ tx, params: { id }, principal: { tenant_id } }) => {
      const found = await getSubscription(tx, { id, tenant_id })
      // Its health changes without a new version.
      return reply(200, healthyView(found), { etag: viewTag(found.version, found.health) })
    },
  ),

  updateWebhookSubscription: patch(
    one,
    'Change, pause or resume a webhook subscription',
    {
      sends: ['etag'],
      body: UpdateSubscription,
      tool: 'never',
      instead,
      reply: Subscription,
      fails: [...refusals, 'cooldown', 'invalid_transition', 'precondition_failed'],
    },
    async ({ tx, params: { id }, principal, body, grants, if_match }, deps) => {
      const caller = { principal, grants: await grants(), if_match }
      const row = await updateSubscription(tx, deps, id, body, caller)
      if (row.state !== 'active') awaitClaims(tx, deps)
      tx.afterCommit(() => {
        deps.sender.poke([id])
        deps.kernel.wake()
      })
      return { ...viewOf(row), version: row.version }
    },
  ),

  deleteWebhookSubscription: del(
    one,
    'Delete a webhook subscription',
    { fails: ['precondition_failed'] },
    async ({ tx, params: { id }, principal: { tenant_id }, if_match }, deps) => {
      await deleteSubscription(tx, { id, tenant_id }, if_match)
      awaitClaims(tx, deps)
    },
  ),

  rotateWebhookSecret: post(
    `${one}/rotate-secret`,
    'Create a new secret for a webhook subscription; it is shown once',
    {
      description:
        'Both secrets sign until the old one ends, so that the receiver can change over. Repeats of the request with the same `Idempotency-Key` show the same secret.',
      permission: 'webhooks.subscriptions.rotate_secret',
      added: true,
      idempotency: 'optional',
      record: 'sealed',
      body: RotateSecret,
      body_optional: true,
      reply: RotatedSecret,
      fails: ['precondition_failed', 'too_many_live_secrets'],
    },
    async ({ tx, params: { id }, principal, body, if_match }, deps) => {
      const { tenant_id } = principal
      const overlap = (body as Partial<typeof body> | undefined)?.overlap_seconds // optional
      const rotated = await rotateSecret(tx, deps, { id, tenant_id, if_match }, overlap)
      tx.audit('webhooks.subscriptions.rotate_secret', `webhook_subscription:${id}`)
      return reply(200, rotated, no_store)
    },
  ),

  testWebhookSubscription: post(
    `${one}/test`,
    'Send a test event to one webhook subscription',
    {
      added: true,
      idempotency: 'optional',
      body: TestEvent,
      body_optional: true,
      replies: { 202: TestAccepted },
      location: '/v1/webhook-deliveries/{id}',
      fails: ['content_too_large', 'subscription_not_active'],
    },
    async ({ tx, params: { id }, principal: { tenant_id }, body }, deps) => {
      const asked = (body as typeof body | undefined) ?? {} // the body is optional
      const accepted = await sendTestEvent(tx, { id, tenant_id }, asked)
      tx.afterCommit(() => deps.sender.poke([id]))
      return accepted
    },
  ),
})
