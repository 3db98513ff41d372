/** Routes of conversations. */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { page, pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { changeConversation } from './change-conversation.ts'
import { createConversation } from './create-conversation.ts'
import type { Seat } from '../schemas.ts'
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

export function conversationRoutes(deps: Deps): readonly Route[] {
  return [createRoute(deps), listRoute(deps), getRoute(deps), changeRoute(deps)]
}

function createRoute(deps: Deps): Route {
  const shown = async (tx: Tx, status: 200 | 201, seat: Seat) => {
    const conversation = await findConversation(tx, deps, seat)
    const headers = { location: `${path}/${seat.id}` }
    return status === 201 ? reply(201, conversation, headers) : reply(200, conversation, headers)
  }
  return route({
    method: 'POST',
    path,
    name: 'createConversation',
    summary: 'Create a group, or find or create a direct conversation',
    description:
      'Two people have one direct conversation. If it already exists, it is returned with 200. Do not list yourself: you are always a member, and in a group you are the owner.',
    permission: 'authenticated',
    idempotency: 'optional',
    record: 'reference',
    rate_tenant: false,
    body: CreateConversation,
    refuses: { read_only: null, password: null, expires_at: null },
    sends: ['location'],
    replies: { 200: Conversation, 201: Conversation },
    fails: [absent, 'member_unknown', 'group_too_large', 'permission_denied', 'quota_exceeded'],
    handle: async ({ tx, principal, body }) => {
      if (principal.kind !== 'account') {
        throw problem('permission_denied', {
          detail:
            'An API key is not a person and has no conversations. Use the token of a session.',
        })
      }
      const { seat, created } = await createConversation(tx, deps, principal, body)
      return await shown(tx, created ? 201 : 200, seat)
    },
    // Rendered again, so that no recorded reply keeps the text of a deleted message.
    again: async ({ tx, principal: { id: user_id, tenant_id }, resource_ref, status }) => {
      const seat = { tenant_id, id: resource_ref.slice(path.length + 1), user_id }
      return await shown(tx, status === 201 ? 201 : 200, seat)
    },
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'listConversations',
    summary: 'List your conversations, the latest message first',
    description:
      'A conversation that gets a message while you page through the list moves to its beginning. A hidden conversation is left out until its next message.',
    permission: 'authenticated',
    rate_tenant: false,
    query: pageQuery({}),
    replies: { 200: page(Conversation) },
    handle: async ({ tx, principal: { id: user_id, tenant_id }, list }) => {
      // A person has few memberships, so they are sorted in memory. A new message therefore changes
      // no index of memberships.
      const { body, headers } = await pageOf(tx, {
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
      return reply(200, { ...body, data }, headers)
    },
  })
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getConversation',
    summary: 'A conversation',
    description: 'Members who have left see the conversation as it was when they left.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    replies: { 200: Conversation },
    fails: [absent],
    handle: async ({ tx, principal, params }) => {
      const { id: user_id, tenant_id } = principal
      return reply(200, await findConversation(tx, deps, { tenant_id, id: params.id, user_id }))
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: one,
    name: 'changeConversation',
    summary: 'Rename, close or open a group',
    description:
      'Requires that you are the owner or an admin of the group. A closed group can be read but accepts no messages.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    body: ChangeConversation,
    replies: { 200: Conversation },
    fails: [absent, 'not_a_member', 'permission_denied', 'invalid_transition'],
    handle: async ({ tx, principal, params, body }) => {
      const seat = { tenant_id: principal.tenant_id, id: params.id, user_id: principal.id }
      await changeConversation(tx, deps, seat, body)
      return reply(200, await findConversation(tx, deps, seat))
    },
  })
}
