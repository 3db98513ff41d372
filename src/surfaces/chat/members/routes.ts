/** Routes of members: who is in a conversation, and how far they have read. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import {
  closed,
  count,
  Id,
  nullable,
  oneOf,
  page,
  pageQuery,
  Time,
} from '../../../kernel/http/shapes.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { isBlocked } from '../conversations/is-blocked.ts'
import { findSeat, requireSeat } from '../conversations/seat.ts'
import { Conversation } from '../conversations/schemas.ts'
import { findConversation, memberFor } from '../conversations/show-conversations.ts'
import type { Deps } from '../deps.ts'
import { Member, Role, Sequence, type Seat } from '../schemas.ts'
import { addMembers } from './add-members.ts'
import { changeRole } from './change-role.ts'
import { markRead } from './mark-read.ts'
import { removeMember } from './remove-member.ts'

const one = '/v1/conversations/{id}' as const
const path = `${one}/members` as const
const absent = 'conversation_not_found'
const usual = [absent, 'not_a_member', 'permission_denied', 'direct_members_fixed']

const AddMembers = closed(
  {
    user_ids: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }),
    role: Type.Optional(oneOf('admin', 'member')),
  },
  { title: 'AddMembers' },
)
const ChangeMember = closed({ role: Role }, { title: 'ChangeMember' })
const ChangeOwn = closed(
  { muted_until: Type.Optional(nullable(Time)), hidden: Type.Optional(Type.Boolean()) },
  { title: 'ChangeOwnMembership' },
)
const MarkRead = closed({ through_sequence: Sequence }, { title: 'MarkRead' })
const ReadState = Type.Object(
  { last_read_sequence: Sequence, unread_count: count(0, Number.MAX_SAFE_INTEGER) },
  { title: 'ReadState' },
)
const Members = Type.Object({ data: Type.Array(Member, { maxItems: 100 }) }, { title: 'Members' })
const MemberRow = Type.Object({ ...Member.properties, joined_us: Type.Integer() })

type Caller = { readonly id: string; readonly tenant_id: string }
const seatOf = ({ id: user_id, tenant_id }: Caller, id: string): Seat => ({
  tenant_id,
  id,
  user_id,
})

export function memberRoutes(deps: Deps): readonly Route[] {
  return [
    listRoute(deps),
    addRoute(deps),
    changeOwnRoute(deps),
    changeRoute(deps),
    removeRoute(deps),
    readRoute(deps),
  ]
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'listConversationMembers',
    summary: 'List the members of a conversation, in the order in which they joined',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    query: pageQuery({}),
    replies: { 200: page(Member) },
    fails: [absent],
    handle: async ({ tx, principal, params, list }) => {
      const seat = seatOf(principal, params.id)
      const own = await findSeat(tx, seat)
      const { left_sequence } = own
      const blocked = await isBlocked(tx, deps, own)
      const { body, headers } = await pageOf(tx, {
        scope: list,
        row: MemberRow,
        place: ['joined_us', 'user_id'],
        view: ({ joined_us: _at, ...member }) => memberFor(seat.user_id, blocked, member),
        // A former member sees only their own membership.
        fetch: (after, n) => sql`
          select user_id, role, joined_sequence, left_sequence, last_read_sequence,
            (extract(epoch from joined_at) * 1000000)::bigint as joined_us
          from chat.conversation_members
          where tenant_id = ${seat.tenant_id} and conversation_id = ${seat.id}
            and case when ${left_sequence === null} then left_sequence is null
              else user_id = ${seat.user_id} end
            and (${after.user_id}::uuid is null or (joined_at, user_id) > (
              timestamptz 'epoch' + ${after.joined_us}::bigint * interval '1 microsecond',
              ${after.user_id}::uuid))
          order by joined_at, user_id limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

async function membersOf(tx: Tx, { tenant_id, id }: Seat, user_ids: readonly string[]) {
  return await tx.many(
    Member,
    sql`
      select user_id, role, joined_sequence, left_sequence, last_read_sequence
      from chat.conversation_members
      where tenant_id = ${tenant_id} and conversation_id = ${id}
        and user_id = any(${[...user_ids]}::uuid[])
      order by joined_at, user_id`,
  )
}

function addRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'addConversationMembers',
    summary: 'Add people to a group',
    description:
      'Either all users are added or none. They see the messages that are sent after they join.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    body: AddMembers,
    replies: { 201: Members },
    fails: [
      ...usual,
      'already_member',
      'conversation_closed',
      'member_unknown',
      'group_too_large',
      'quota_exceeded',
    ],
    handle: async ({ tx, principal, params, body: { user_ids, role = 'member' } }) => {
      const seat = seatOf(principal, params.id)
      await addMembers(tx, deps, seat, { user_ids, role })
      return reply(201, { data: await membersOf(tx, seat, user_ids) })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: `${path}/{user_id}`,
    name: 'changeConversationMember',
    params: { user_id: Id },
    summary: 'Change the role of a member',
    description:
      'Requires that you are the owner. If you make another member the owner, you become an admin.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    body: ChangeMember,
    replies: { 200: Member },
    fails: [...usual, 'member_not_found', 'invalid_transition'],
    handle: async ({ tx, principal, params, body: { role } }) => {
      const seat = seatOf(principal, params.id)
      await changeRole(tx, deps, seat, params.user_id, role)
      const [member] = await membersOf(tx, seat, [params.user_id])
      if (!member) throw new Error('a member is gone in its own transaction')
      return reply(200, member)
    },
  })
}

function removeRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: `${path}/{user_id}`,
    name: 'removeConversationMember',
    params: { user_id: Id },
    summary: 'Remove a member; with your own id, leave the group',
    description:
      'The owner can remove all others; admins can remove ordinary members. When the owner leaves, the oldest admin becomes the owner. If there is no admin, the oldest member does.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    replies: { 204: null },
    fails: usual,
    handle: async ({ tx, principal, params }) => {
      const seat = seatOf(principal, params.id)
      await removeMember(tx, deps, seat, params.user_id)
      return reply(204, null)
    },
  })
}

function changeOwnRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: `${path}/me`,
    name: 'changeOwnMembership',
    summary: 'Mute or hide a conversation for yourself',
    description:
      'Muted, its messages are not pushed. Hidden, it is not in your list until the next message; a direct conversation cannot be left, but hidden.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    body: ChangeOwn,
    replies: { 200: Conversation },
    fails: [absent, 'not_a_member'],
    handle: async ({ tx, principal, params, body }) => {
      const seat = seatOf(principal, params.id)
      await requireSeat(tx, seat)
      const { muted_until, hidden } = body
      await tx.run(sql`
        update chat.conversation_members b
        set muted_until = case when ${muted_until === undefined} then b.muted_until
            else ${muted_until ?? null}::timestamptz end,
          hidden_sequence = case when ${hidden === undefined} then b.hidden_sequence
            when ${hidden === true} then c.latest_sequence end
        from chat.conversations c
        where b.tenant_id = ${seat.tenant_id} and b.conversation_id = ${seat.id}
          and b.user_id = ${seat.user_id} and c.tenant_id = b.tenant_id
          and c.id = b.conversation_id`)
      return reply(200, await findConversation(tx, deps, seat))
    },
  })
}

function readRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: `${one}/read`,
    name: 'markConversationRead',
    summary: 'Mark a conversation as read up to a message',
    description: 'The sequence can only increase. A lower one changes nothing.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    body: MarkRead,
    replies: { 200: ReadState },
    fails: [absent, 'sequence_out_of_range'],
    handle: async ({ tx, principal, params, body: { through_sequence } }) => {
      const seat = seatOf(principal, params.id)
      const { is_news, is_shared, ...state } = await markRead(tx, deps, seat, through_sequence)
      if (is_news) {
        tx.afterCommit(() => deps.live.read(seat, state.last_read_sequence, is_shared))
      }
      return reply(200, state)
    },
  })
}
