/**
 * Routes of subscriptions: create, read, change and delete a subscription, rotate its secret, and
 * send a test event.
 */
import { etag, viewTag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import {
  CreateSubscription,
  HealthySubscription,
  NewSubscription,
  RotatedSecret,
  RotateSecret,
  Subscription,
  SubscriptionPage,
  TestAccepted,
  TestEvent,
  UpdateSubscription,
} from '../schemas.ts'
import { awaitClaims } from './await-claims.ts'
import { createSubscription } from './create-subscription.ts'
import { deleteSubscription } from './delete-subscription.ts'
import { findCreated, viewOf } from './find.ts'
import { getSubscription, listSubscriptions, withoutVersion } from './read-subscriptions.ts'
import { rotateSecret } from './rotate-secret.ts'
import { sendTestEvent } from './send-test-event.ts'
import { updateSubscription } from './update-subscription.ts'

const path = '/v1/webhook-subscriptions'
const one = `${path}/{id}`
const absent = 'subscription_not_found'
const no_store = { 'cache-control': 'no-store' }
const at = (id: string) => `${path}/${id}`

export function subscriptionRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    listRoute(deps),
    getRoute(),
    updateRoute(deps),
    deleteRoute(deps),
    rotateRoute(deps),
    testRoute(deps),
  ]
}

const refusals = [
  'endpoint_not_allowed',
  'event_type_unknown',
  'api_version_unsupported',
  'permission_denied',
  'validation_failed',
]

/** Restrictions of other APIs that have no effect here, with what to use instead. */
const refuses = {
  headers: null,
  auth: null,
  allowed_ips: null,
  filter: 'event_filter',
  events: 'event_filter',
  rate_limit: 'rate_per_second',
} as const

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'createWebhookSubscription',
    summary: 'Subscribe an endpoint to events',
    sends: ['etag', 'location'],
    description:
      'The secret is shown only in this reply. No event is sent before the endpoint has answered the challenge.',
    permission: 'webhooks.subscriptions.write',
    idempotency: 'optional',
    record: 'reference',
    body: CreateSubscription,
    refuses,
    replies: { 201: NewSubscription },
    fails: [...refusals, 'quota_exceeded', absent],
    handle: async ({ tx, body, principal, grants }) => {
      const owner = { principal, grants: await grants() }
      const { version, ...made } = await createSubscription(tx, deps, body, owner)
      if (made.verification.mode === 'auto') tx.afterCommit(deps.kernel.wake)
      return reply(201, made, { ...no_store, etag: etag(version), location: at(made.id) })
    },
    again: async ({ tx, principal, resource_ref }) => {
      const id = resource_ref.slice(resource_ref.lastIndexOf('/') + 1)
      const row = await findCreated(tx, { id, tenant_id: principal.tenant_id })
      return reply(201, viewOf(row), { ...no_store, etag: etag(row.version), location: at(id) })
    },
  })
}

function listRoute({ kernel: { cursors } }: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'listWebhookSubscriptions',
    summary: 'List webhook subscriptions with their health, newest first',
    permission: 'webhooks.subscriptions.read',
    added: true,
    query: pageQuery({}),
    replies: { 200: SubscriptionPage },
    handle: async ({ tx, principal, list }) => {
      const { after, fetch } = cursors.start(list)
      const last = (after?.[0] ?? null) as string | null // our own cursor: an id
      const rows = await listSubscriptions(tx, {
        tenant_id: principal.tenant_id,
        after: last,
        fetch,
      })
      const { body, headers } = cursors.page(list, rows, row => [row.id])
      const data = body.data.map(withoutVersion)
      return reply(200, { ...body, data }, headers)
    },
  })
}

function getRoute(): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getWebhookSubscription',
    summary: 'Get a webhook subscription with its health',
    sends: ['etag'],
    permission: 'webhooks.subscriptions.read',
    added: true,
    absent,
    replies: { 200: HealthySubscription },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal: { tenant_id } }) => {
      const { version, ...found } = await getSubscription(tx, { id, tenant_id })
      // Its health changes without a new version.
      return reply(200, found, { etag: viewTag(version, found.health) })
    },
  })
}

function updateRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: one,
    name: 'updateWebhookSubscription',
    summary: 'Change, pause or resume a webhook subscription',
    sends: ['etag'],
    permission: 'webhooks.subscriptions.write',
    absent,
    body: UpdateSubscription,
    refuses,
    replies: { 200: Subscription },
    fails: [...refusals, absent, 'cooldown', 'invalid_transition', 'precondition_failed'],
    handle: async ({ tx, params: { id }, principal, body, grants, request }) => {
      const row = await updateSubscription(tx, deps, id, body, {
        principal,
        grants: await grants(),
        if_match: request.headers['if-match'],
      })
      if (row.state !== 'active') awaitClaims(tx, deps)
      tx.afterCommit(() => {
        deps.sender.poke([id])
        deps.kernel.wake()
      })
      return reply(200, viewOf(row), { etag: etag(row.version) })
    },
  })
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: one,
    name: 'deleteWebhookSubscription',
    summary: 'Delete a webhook subscription',
    permission: 'webhooks.subscriptions.write',
    absent,
    replies: { 204: null },
    fails: [absent, 'precondition_failed'],
    handle: async ({ tx, params: { id }, principal: { tenant_id }, request }) => {
      await deleteSubscription(tx, { id, tenant_id }, request.headers['if-match'])
      awaitClaims(tx, deps)
      return reply(204, null)
    },
  })
}

function rotateRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${one}/rotate-secret`,
    name: 'rotateWebhookSecret',
    summary: 'Create a new secret for a webhook subscription; it is shown once',
    description: 'Both secrets sign until the old one ends, so that the receiver can change over.',
    permission: 'webhooks.subscriptions.rotate_secret',
    added: true,
    idempotency: 'ignored',
    absent,
    body: RotateSecret,
    body_optional: true,
    replies: { 200: RotatedSecret },
    fails: [absent, 'precondition_failed', 'too_many_live_secrets'],
    handle: async ({ tx, params: { id }, principal, body, request }) => {
      const { tenant_id } = principal
      const where = { id, tenant_id, if_match: request.headers['if-match'] }
      const overlap = (body as Partial<typeof body> | undefined)?.overlap_seconds // optional
      const rotated = await rotateSecret(tx, deps, where, overlap)
      tx.audit({
        tenant_id,
        actor: principal.id,
        action: 'webhooks.subscriptions.rotate_secret',
        target: `webhook_subscription:${id}`,
        outcome: 'done',
      })
      return reply(200, rotated, no_store)
    },
  })
}

function testRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${one}/test`,
    name: 'testWebhookSubscription',
    summary: 'Send a test event to one webhook subscription',
    sends: ['location'],
    permission: 'webhooks.subscriptions.write',
    added: true,
    idempotency: 'optional',
    absent,
    body: TestEvent,
    body_optional: true,
    replies: { 202: TestAccepted },
    fails: [absent, 'content_too_large', 'subscription_not_active'],
    handle: async ({ tx, params: { id }, principal: { tenant_id }, body }) => {
      const asked = (body as typeof body | undefined) ?? {} // the body is optional
      const accepted = await sendTestEvent(tx, { id, tenant_id }, asked)
      tx.afterCommit(() => deps.sender.poke([id]))
      return reply(202, accepted, { location: `/v1/webhook-deliveries/${accepted.id}` })
    },
  })
}
