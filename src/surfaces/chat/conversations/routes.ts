/** Routes of conversations. */
import { page, reply, routesOf, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { changeConversation } from './change-conversation.ts'
import { createConversation } from './create-conversation.ts'
import type { Seat } from '../schemas.ts'
import { seatOf } from './seat.ts'
import { ChangeConversation, Conversation, CreateConversation } from './schemas.ts'
import {
  conversationColumns,
  ConversationRow,
  findConversation,
  showConversations,
} from './show-conversations.ts'

const path = '/v1/conversations'
const one = `${path}/{id}` as const
const absent = 'conversation_not_found'

const { open, get, list, create, patch } = routesOf<Deps>({
  absent,
  permission: 'authenticated',
  rate_tenant: false,
})

export const conversationRoutes = open({
  createConversation: create(
    path,
    'Create a group, or find or create a direct conversation',
    {
      tool: 'write',
      description:
        'Two people have one direct conversation. If it already exists, it is returned with 200. Do not list yourself: you are always a member, and in a group you are the owner.',
      idempotency: 'optional',
      record: 'reference',
      body: CreateConversation,
      replies: { 200: Conversation, 201: Conversation },
      fails: [absent, 'member_unknown', 'group_too_large', 'permission_denied', 'quota_exceeded'],
    },
    {
      handle: async ({ tx, principal, body }, deps) => {
        if (principal.kind !== 'account') {
          throw problem('permission_denied', {
            detail:
              'An API key is not a person and has no conversations. Use the token of a session.',
          })
        }
        const { seat, created } = await createConversation(tx, deps, principal, body)
        return await shown(tx, deps, created ? 201 : 200, seat)
      },
      // Rendered again, so that no recorded reply keeps the text of a deleted message.
      again: async ({ tx, principal, resource_ref, status }, deps) => {
        const seat = seatOf(principal, resource_ref.slice(path.length + 1))
        return await shown(tx, deps, status, seat)
      },
    },
  ),

  listConversations: list(
    path,
    'List your conversations, the latest message first',
    {
      tool: 'read',
      description:
        'A conversation that gets a message while you page through the list moves to its beginning. A hidden conversation is left out until its next message.',
      item: Conversation,
    },
    async ({ tx, principal: { id: user_id, tenant_id }, list }, deps) => {
      // A person has few memberships, so they are sorted in memory. A new message therefore changes
      // no index of memberships.
      const { body, headers } = await page(tx, {
        scope: list,
        row: ConversationRow,
        place: ['active_us', 'id'],
        fetch: (after, n) => sql`
          select ${conversationColumns()}
          from (
            select b.* from chat.conversation_members b
            join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
            where b.tenant_id = ${tenant_id} and b.user_id = ${user_id}
              and b.left_sequence is null
              and (b.hidden_sequence is null or b.hidden_sequence < c.latest_sequence)
              and (${after.id}::uuid is null
                or (coalesce(c.last_message_at, c.created_at), c.id) < (
                  timestamptz 'epoch' + ${after.active_us}::bigint * interval '1 microsecond',
                  ${after.id}::uuid))
            order by coalesce(c.last_message_at, c.created_at) desc, c.id desc limit ${n}) b
          join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
          order by coalesce(c.last_message_at, c.created_at) desc, c.id desc`,
      })
      const data = await showConversations(tx, deps, tenant_id, body.data)
      return { body: { ...body, data }, headers }
    },
  ),

  getConversation: get(
    one,
    'A conversation',
    {
      tool: 'read',
      description: 'Members who have left see the conversation as it was when they left.',
      added: true,
      reply: Conversation,
    },
    async ({ tx, principal, params }, deps) => {
      return await findConversation(tx, deps, seatOf(principal, params.id))
    },
  ),

  changeConversation: patch(
    one,
    'Rename, close or open a group',
    {
      description:
        'Requires that you are the owner or an admin of the group. A closed group can be read but accepts no messages.',
      added: true,
      body: ChangeConversation,
      reply: Conversation,
      fails: ['not_a_member', 'permission_denied', 'invalid_transition'],
    },
    async ({ tx, principal, params, body }, deps) => {
      const seat = seatOf(principal, params.id)
      await changeConversation(tx, deps, seat, body)
      return await findConversation(tx, deps, seat)
    },
  ),
})

async function shown(tx: Tx, deps: Deps, status: number, seat: Seat) {
  const conversation = await findConversation(tx, deps, seat)
  const headers = { location: `${path}/${seat.id}` }
  return status === 201 ? reply(201, conversation, headers) : reply(200, conversation, headers)
}
