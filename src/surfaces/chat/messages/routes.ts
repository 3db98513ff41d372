/** Routes of messages. */
import { etag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { findSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { Message, type Seat } from '../schemas.ts'
import { deleteMessage } from './delete-message.ts'
import { editMessage } from './edit-message.ts'
import { findMessage } from './find-message.ts'
import { readChanges } from './read-changes.ts'
import { readHistory } from './read-history.ts'
import { readVersions } from './read-versions.ts'
import {
  Changes,
  ChangesQuery,
  EditMessage,
  History,
  HistoryQuery,
  MessageVersions,
  SendMessage,
} from './schemas.ts'
import type { Sender } from './send-message.ts'

const conversation = '/v1/conversations/{id}' as const
const path = `${conversation}/messages` as const
const one = `${path}/{message_id}` as const
const absent = 'conversation_not_found'
const common = { permission: 'authenticated', rate_tenant: false, absent } as const
/** For a member, an unknown message of the conversation gets `message_not_found`. */
const one_id = { message_id: Id }

type Caller = { readonly id: string; readonly tenant_id: string }
const seatOf = ({ id: user_id, tenant_id }: Caller, id: string): Seat => ({
  tenant_id,
  id,
  user_id,
})

export function messageRoutes(deps: Deps, send: Sender): readonly Route[] {
  return [
    historyRoute(deps),
    sendRoute(deps, send),
    getRoute(deps),
    changesRoute(deps),
    editRoute(deps),
    deleteRoute(deps),
    versionsRoute(deps),
  ]
}

function historyRoute(deps: Deps): Route {
  return route({
    ...common,
    method: 'GET',
    path,
    name: 'listMessages',
    summary: 'List the messages of a conversation, newest first',
    description:
      'With `before`, the reply has older messages than this sequence; with `after`, newer ones, oldest first. `next_before` and `next_after` continue by sequence where `next_cursor` does it by cursor.',
    query: HistoryQuery,
    replies: { 200: History },
    fails: [absent],
    handle: async ({ tx, principal, params, query, list }) => {
      const { body, headers } = await readHistory(
        tx,
        deps,
        seatOf(principal, params.id),
        query,
        list,
      )
      return reply(200, body, headers)
    },
  })
}

function sendRoute(deps: Deps, send: Sender): Route {
  return route({
    ...common,
    method: 'POST',
    path,
    name: 'sendMessage',
    summary: 'Send a message',
    description:
      'The key becomes the `client_request_id` and never expires, here and on the socket. If you send the same message again, it is returned. A different message with the same key is refused.',
    transaction: 'own',
    idempotency: 'domain',
    body: SendMessage,
    refuses: { expires_at: null, scheduled_at: null, visible_to: null },
    body_limit_bytes: 128 * 1024,
    sends: ['etag', 'location'],
    replies: { 201: Message },
    fails: [
      absent,
      'not_a_member',
      'message_not_allowed',
      'idempotency_key_reused',
      'conversation_closed',
      'attachment_not_ready',
      'reply_target_unknown',
    ],
    handle: async ({ db, principal, params, body, request }) => {
      const seat = seatOf(principal, params.id)
      const { sent } = await send({
        ...body,
        tenant_id: seat.tenant_id,
        conversation_id: seat.id,
        sender_id: seat.user_id,
        client_request_id: String(request.headers['idempotency-key']),
      })
      const own = await findSeat(db, seat)
      const message = await findMessage(db, deps, own, sent.message_id)
      return reply(201, message, {
        location: `/v1/conversations/${seat.id}/messages/${sent.message_id}`,
        etag: etag(message.version),
        ...(sent.deduplicated ? { 'idempotent-replayed': 'true' } : {}),
      })
    },
  })
}

function getRoute(deps: Deps): Route {
  return route({
    ...common,
    method: 'GET',
    path: one,
    name: 'getMessage',
    params: one_id,
    summary: 'A message',
    added: true,
    replies: { 200: Message },
    fails: [absent, 'message_not_found'],
    handle: async ({ tx, principal, params }) => {
      const own = await findSeat(tx, seatOf(principal, params.id))
      return reply(200, await findMessage(tx, deps, own, params.message_id))
    },
  })
}

function changesRoute(deps: Deps): Route {
  return route({
    ...common,
    method: 'GET',
    path: `${conversation}/changes`,
    name: 'listConversationChanges',
    summary: 'List the messages and members that changed since a revision',
    description:
      'Each changed message is returned once, in its current form: ten edits of a message return one message. A revision never expires. Keep the last revision that you received and send it when you are online again. `next_after` continues by revision where `next_cursor` does it by cursor.',
    added: true,
    rate_by: ['id'],
    query: ChangesQuery,
    replies: { 200: Changes },
    fails: [absent],
    handle: async ({ tx, principal, params, query, list }) => {
      const { body, headers } = await readChanges(
        tx,
        deps,
        seatOf(principal, params.id),
        query,
        list,
      )
      return reply(200, body, headers)
    },
  })
}

function editRoute(deps: Deps): Route {
  return route({
    ...common,
    method: 'PATCH',
    path: one,
    name: 'editMessage',
    params: one_id,
    summary: 'Replace the text of your message',
    added: true,
    body: EditMessage,
    body_limit_bytes: 128 * 1024,
    replies: { 200: Message },
    sends: ['etag'],
    fails: [
      absent,
      'message_not_found',
      'not_a_member',
      'message_not_allowed',
      'permission_denied',
      'edit_window_closed',
      'message_deleted',
      'too_many_edits',
      'conversation_closed',
      'precondition_failed',
    ],
    handle: async ({ tx, principal, params, body: { body }, request }) => {
      const seat = seatOf(principal, params.id)
      const { message_id } = params
      await editMessage(tx, deps, seat, { message_id, body, if_match: request.headers['if-match'] })
      const message = await findMessage(tx, deps, await findSeat(tx, seat), message_id)
      return reply(200, message, { etag: etag(message.version) })
    },
  })
}

function deleteRoute(deps: Deps): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: one,
    name: 'deleteMessage',
    params: one_id,
    summary: 'Delete a message for everybody',
    description:
      'Allowed for the sender, for the owner and admins of a group, and with the permission `chat.messages.moderate`. The text and its files are deleted. The sequence number stays.',
    added: true,
    asks_grants: true,
    replies: { 204: null },
    fails: [absent, 'message_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params, grants }) => {
      const moderates = (await grants()).has('chat.messages.moderate')
      await deleteMessage(tx, deps, seatOf(principal, params.id), params.message_id, moderates)
      return reply(204, null)
    },
  })
}

function versionsRoute(deps: Deps): Route {
  return route({
    ...common,
    method: 'GET',
    path: `${one}/versions`,
    name: 'listMessageVersions',
    params: one_id,
    summary: 'List the earlier texts of a message, newest first',
    added: true,
    replies: { 200: MessageVersions },
    fails: [absent, 'message_not_found'],
    handle: async ({ tx, principal, params }) =>
      reply(200, await readVersions(tx, deps, seatOf(principal, params.id), params.message_id)),
  })
}
