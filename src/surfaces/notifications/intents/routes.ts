/** Routes of single notifications: send, explain, read, cancel. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Channel } from '../schemas.ts'
import { RenderedView } from '../templates/schemas.ts'
import { cancelNotification } from './cancel-notification.ts'
import { createNotification } from './create-notification.ts'
import { explain } from './explain.ts'
import { listNotifications } from './list-notifications.ts'
import { requireIntent, readNotification } from './read-notification.ts'
import { renderIntent } from './render-intent.ts'
import {
  Cancelled,
  CancelRequest,
  Explained,
  NewNotification,
  NotificationDetail,
  NotificationPage,
  NotificationQuery,
  NotificationView,
  refused_of_notifications,
} from './schemas.ts'

const path = '/v1/notifications'
const one = `${path}/{id}`
const absent = 'notification_not_found'
const refusals = [
  'template_not_found',
  'template_not_published',
  'unknown_category',
  'template_data_invalid',
  'channel_without_template',
  'schedule_out_of_range',
  'expiry_before_schedule',
  'destination_not_found',
  'invalid_destination',
  'permission_denied',
]

export function intentRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    explainRoute(deps),
    listRoute(deps),
    readRoute(),
    renderedRoute(deps),
    cancelRoute(),
  ]
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'sendNotification',
    summary: 'Send a notification to one recipient',
    sends: ['location'],
    description:
      'The reply means that the notification is accepted, not that it is sent. Read the notification to see the result of each channel. A recipient without a usable destination is accepted too; the channel then says why it was skipped.',
    permission: 'notifications.intents.send:{body.category}',
    idempotency: 'required',
    asks_grants: true,
    body: NewNotification,
    refuses: refused_of_notifications,
    replies: { 202: NotificationView },
    fails: refusals,
    handle: async ({ tx, principal, body, grants, key }) => {
      if (!key) throw problem('idempotency_key_missing')
      const by = { principal, grants: await grants(), key }
      const view = await createNotification(tx, deps, by, body)
      return reply(202, view, { location: `${path}/${view.id}` })
    },
  })
}

function explainRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/explain`,
    name: 'explainNotification',
    summary: 'Explain what would happen to a notification, without sending it',
    permission: 'notifications.intents.send:{body.category}',
    added: true,
    idempotency: 'ignored',
    body: NewNotification,
    refuses: refused_of_notifications,
    replies: { 200: Explained },
    fails: refusals,
    handle: async ({ tx, principal, body, grants }) =>
      reply(200, await explain(tx, deps, { principal, grants: await grants() }, body)),
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'listNotifications',
    summary: 'List notifications, newest first',
    permission: 'notifications.intents.read',
    added: true,
    query: NotificationQuery,
    replies: { 200: NotificationPage },
    handle: async ({ tx, principal, query, grants, list }) => {
      const caller = { principal, grants: await grants() }
      const { body, headers } = await listNotifications(tx, deps, caller, query, list)
      return reply(200, body, headers)
    },
  })
}

function readRoute(): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getNotification',
    summary: 'Get a notification with its attempts, reports and decisions',
    description:
      'The recipient of an in-app notification may get it without a permission. `metadata`, `idempotency_key` and `data_ref` are then null.',
    permission: 'authenticated',
    absent,
    replies: { 200: NotificationDetail },
    fails: [absent],
    handle: async ({ tx, params, principal, grants }) =>
      reply(200, await readNotification(tx, { principal, grants: await grants() }, params.id)),
  })
}

function renderedRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: `${one}/rendered`,
    name: 'getRenderedNotification',
    summary: 'Render the message of one channel again',
    description:
      'One-time tokens and unsubscribe links are masked. `sha256` is the same hash as in the attempts.',
    permission: 'authenticated',
    added: true,
    absent,
    query: closed({ channel: Channel }),
    replies: { 200: RenderedView },
    fails: [absent, 'inputs_not_found', 'channel_without_template', 'template_render_failed'],
    handle: async ({ tx, params, principal, grants, query }) => {
      const caller = { principal, grants: await grants() }
      const row = await requireIntent(tx, caller, params.id, 'read')
      return reply(200, await renderIntent(tx, deps, row, query.channel))
    },
  })
}

function cancelRoute(): Route {
  return route({
    method: 'POST',
    path: `${one}/cancel`,
    name: 'cancelNotification',
    summary: 'Cancel the messages of a notification that are not sent yet',
    description:
      'A message that a provider has accepted cannot be cancelled. `effect` is `full`, `partial` or `none`.',
    permission: 'authenticated',
    idempotency: 'optional',
    absent,
    body: CancelRequest,
    body_optional: true,
    replies: { 200: Cancelled },
    fails: [absent, 'invalid_transition'],
    handle: async ({ tx, params, principal, grants, body }) => {
      const caller = { principal, grants: await grants() }
      return reply(200, await cancelNotification(tx, caller, params.id, body?.reason))
    },
  })
}
