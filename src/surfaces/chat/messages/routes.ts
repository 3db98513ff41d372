/** Routes of messages. */
import { Id, reply, routesOf } from '#dodeca/kernel'
import { findSeat, seatOf } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { Message } from '../schemas.ts'
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

const { open, get, create, patch, del } = routesOf<Deps & { readonly send: Sender }>({
  absent: 'conversation_not_found',
  permission: 'authenticated',
  rate_tenant: false,
  /** For a member, an unknown message of the conversation gets `message_not_found`. */
  params: { message_id: Id },
})

export const messageRoutes = open({
  listMessages: get(
    path,
    'List the messages of a conversation, newest first',
    {
      tool: 'read',
      description:
        'With `before`, the reply has older messages than this sequence; with `after`, newer ones, oldest first. `next_before` and `next_after` continue by sequence where `next_cursor` does it by cursor.',
      query: HistoryQuery,
      reply: History,
    },
    async ({ tx, principal, params, query, list }, deps) => {
      const seat = seatOf(principal, params.id)
      const { body, headers } = await readHistory(tx, deps, seat, query, list)
      return reply(200, body, headers)
    },
  ),

  sendMessage: create(
    path,
    'Send a message',
    {
      tool: 'write',
      description:
        'The key becomes the `client_request_id` and never expires, here and on the socket. If you send the same message again, it is returned. A different message with the same key is refused.',
      transaction: 'own',
      idempotency: 'domain',
      body: SendMessage,
      body_limit_bytes: 128 * 1024,
      reply: Message,
      fails: [
        'not_a_member',
        'message_not_allowed',
        'idempotency_key_reused',
        'conversation_closed',
        'attachment_not_ready',
        'reply_target_unknown',
      ],
    },
    async ({ db, principal, params, body, request }, deps) => {
      const seat = seatOf(principal, params.id)
      const { sent } = await deps.send({
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
        ...(sent.deduplicated ? { 'idempotent-replayed': 'true' } : {}),
      })
    },
  ),

  getMessage: get(
    one,
    'A message',
    { sends: [], added: true, reply: Message, fails: ['message_not_found'] },
    async ({ tx, principal, params }, deps) => {
      const own = await findSeat(tx, seatOf(principal, params.id))
      return await findMessage(tx, deps, own, params.message_id)
    },
  ),

  listConversationChanges: get(
    `${conversation}/changes`,
    'List the messages and members that changed since a revision',
    {
      description:
        'Each changed message is returned once, in its current form: ten edits of a message return one message. A revision never expires. Keep the last revision that you received and send it when you are online again. `next_after` continues by revision where `next_cursor` does it by cursor.',
      added: true,
      rate_by: ['id'],
      query: ChangesQuery,
      reply: Changes,
    },
    async ({ tx, principal, params, query, list }, deps) => {
      const seat = seatOf(principal, params.id)
      const { body, headers } = await readChanges(tx, deps, seat, query, list)
      return reply(200, body, headers)
    },
  ),

  editMessage: patch(
    one,
    'Replace the text of your message',
    {
      added: true,
      body: EditMessage,
      body_limit_bytes: 128 * 1024,
      reply: Message,
      fails: [
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
    },
    async ({ tx, principal, params, body: { body }, if_match }, deps) => {
      const seat = seatOf(principal, params.id)
      const { message_id } = params
      await editMessage(tx, deps, seat, { message_id, body, if_match })
      return await findMessage(tx, deps, await findSeat(tx, seat), message_id)
    },
  ),

  deleteMessage: del(
    one,
    'Delete a message for everybody',
    {
      for_others: 'chat.messages.moderate',
      description:
        'Allowed for the sender, for the owner and admins of a group, and with the permission `chat.messages.moderate`. The text and its files are deleted. The sequence number stays.',
      added: true,
      asks_grants: true,
      fails: ['message_not_found', 'permission_denied'],
    },
    async ({ tx, principal, params, grants }, deps) => {
      const moderates = (await grants()).has('chat.messages.moderate')
      await deleteMessage(tx, deps, seatOf(principal, params.id), params.message_id, moderates)
    },
  ),

  listMessageVersions: get(
    `${one}/versions`,
    'List the earlier texts of a message, newest first',
    { added: true, reply: MessageVersions, fails: ['message_not_found'] },
    async ({ tx, principal, params }, deps) =>
      await readVersions(tx, deps, seatOf(principal, params.id), params.message_id),
  ),
})
