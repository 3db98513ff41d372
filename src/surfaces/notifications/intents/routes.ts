/** Routes of single notifications: send, explain, read, cancel. */
import { closed, equal, Id, looked, narrowSession, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { content_refusals, problem } from '../errors.ts'
import { CategoryName, Channel, IntentState } from '../schemas.ts'
import { RenderedView } from '../templates/schemas.ts'
import { cancelNotification } from './cancel-notification.ts'
import { createNotification } from './create-notification.ts'
import { explain } from './explain.ts'
import { requireIntent, readNotification } from './read-notification.ts'
import { renderIntent } from './render-intent.ts'
import {
  Cancelled,
  CancelRequest,
  Explained,
  NewNotification,
  NotificationDetail,
  NotificationView,
  instead_of_notifications,
} from './schemas.ts'
import { acknowledged, ofCategories, viewColumns } from './view.ts'

const path = '/v1/notifications'
const one = `${path}/{id}`
const absent = 'notification_not_found'
const reads = 'notifications.intents.read'
const refusals = [
  ...content_refusals,
  'destination_not_found',
  'invalid_destination',
  'permission_denied',
]

const { open, get, list, post } = routesOf<Deps>({
  read: 'authenticated',
  write: 'notifications.intents.send:{body.category}',
  absent,
})

export const intentRoutes = open({
  sendNotification: post(
    path,
    'Send a notification to one recipient',
    {
      tool: 'confirm',
      sends: ['location'],
      description:
        'The reply means that the notification is accepted, not that it is sent. Read the notification to see the result of each channel. A recipient without a usable destination is accepted too; the channel then says why it was skipped.',
      idempotency: 'required',
      asks_grants: true,
      body: NewNotification,
      instead: instead_of_notifications,
      replies: { 202: NotificationView },
      fails: refusals,
    },
    async ({ tx, principal, body, grants, key }, deps) => {
      if (!key) throw problem('idempotency_key_missing')
      const by = {
        tenant_id: principal.tenant_id,
        principal_id: principal.id,
        session_id: narrowSession(principal),
        grants: await grants(),
        key,
      }
      const view = await createNotification(tx, deps, by, body)
      return reply(202, view, { location: `${path}/${view.id}` })
    },
  ),

  explainNotification: post(
    `${path}/explain`,
    'Explain what would happen to a notification, without sending it',
    {
      added: true,
      // It only reads.
      idempotency: 'ignored',
      body: NewNotification,
      instead: instead_of_notifications,
      reply: Explained,
      fails: refusals,
    },
    async ({ tx, principal, body, grants }, deps) =>
      await explain(tx, deps, { principal, grants: await grants() }, body),
  ),

  listNotifications: list(path, 'List notifications, newest first', {
    tool: 'read',
    permission: reads,
    added: true,
    from: 'notifications.notification_intents',
    row: NotificationView,
    columns: viewColumns,
    where: acknowledged,
    within: ofCategories(reads),
    time: 'id',
    filters: {
      user_id: equal(Id, id => sql`t.recipient_ref = 'user:' || ${id}::uuid`),
      category: looked(CategoryName),
      state: looked(IntentState),
      batch_id: equal(Id),
    },
    find: [],
  }),

  getNotification: get(
    one,
    'Get a notification with its attempts, reports and decisions',
    {
      tool: 'read',
      for_others: 'notifications.intents.read:{category}',
      description:
        'The recipient of an in-app notification may get it without a permission. `metadata`, `idempotency_key` and `data_ref` are then null.',
      reply: NotificationDetail,
    },
    async ({ tx, params, principal, grants }) =>
      await readNotification(tx, { principal, grants: await grants() }, params.id),
  ),

  getRenderedNotification: get(
    `${one}/rendered`,
    'Render the message of one channel again',
    {
      tool: 'never',
      for_types: 'notifications.intents.read',
      description:
        'One-time tokens and unsubscribe links are masked. `sha256` is the same hash as in the attempts.',
      added: true,
      query: closed({ channel: Channel }),
      reply: RenderedView,
      fails: ['inputs_not_found', 'channel_without_template', 'template_render_failed'],
    },
    async ({ tx, params, principal, grants, query }, deps) => {
      const caller = { principal, grants: await grants() }
      const row = await requireIntent(tx, caller, params.id, 'read')
      return await renderIntent(tx, deps, row, query.channel)
    },
  ),

  cancelNotification: post(
    `${one}/cancel`,
    'Cancel the messages of a notification that are not sent yet',
    {
      tool: 'write',
      for_types: 'notifications.intents.cancel',
      description:
        'A message that a provider has accepted cannot be cancelled. `effect` is `full`, `partial` or `none`.',
      permission: 'authenticated',
      idempotency: 'optional',
      body: CancelRequest,
      body_optional: true,
      reply: Cancelled,
      fails: ['invalid_transition'],
    },
    async ({ tx, params, principal, grants, body }) => {
      const caller = { principal, grants: await grants() }
      return await cancelNotification(tx, caller, params.id, body?.reason)
    },
  ),
})
