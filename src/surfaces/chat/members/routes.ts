/** Routes of members: who is in a conversation, and how far they have read. */
import { Type } from 'typebox'
import { closed, count, Id, nullable, oneOf, page, routesOf, sql, Time } from '#dodeca/kernel'
import type { Tx } from '#dodeca/kernel'
import { isBlocked } from '../conversations/is-blocked.ts'
import { findSeat, requireSeat, seatOf } from '../conversations/seat.ts'
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

const { open, create, list, put, patch, del } = routesOf<Deps>({
  permission: 'authenticated',
  rate_tenant: false,
  added: true,
  absent,
})

export const memberRoutes = open({
  listConversationMembers: list(
    path,
    'List the members of a conversation, in the order in which they joined',
    { item: Member },
    async ({ tx, principal, params, list }, deps) => {
      const seat = seatOf(principal, params.id)
      const own = await findSeat(tx, seat)
      const { left_sequence } = own
      const blocked = await isBlocked(tx, deps, own)
      return await page(tx, {
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
    },
  ),

  addConversationMembers: create(
    path,
    'Add people to a group',
    {
      description:
        'Either all users are added or none. They see the messages that are sent after they join.',
      body: AddMembers,
      reply: Members,
      fails: [
        ...usual,
        'already_member',
        'conversation_closed',
        'member_unknown',
        'group_too_large',
        'quota_exceeded',
      ],
    },
    async ({ tx, principal, params, body: { user_ids, role = 'member' } }, deps) => {
      const seat = seatOf(principal, params.id)
      await addMembers(tx, deps, seat, { user_ids, role })
      return { data: await membersOf(tx, seat, user_ids) }
    },
  ),

  changeOwnMembership: patch(
    `${path}/me`,
    'Mute or hide a conversation for yourself',
    {
      description:
        'Muted, its messages are not pushed. Hidden, it is not in your list until the next message; a direct conversation cannot be left, but hidden.',
      body: ChangeOwn,
      reply: Conversation,
      fails: ['not_a_member'],
    },
    async ({ tx, principal, params, body }, deps) => {
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
      return await findConversation(tx, deps, seat)
    },
  ),

  changeConversationMember: patch(
    `${path}/{user_id}`,
    'Change the role of a member',
    {
      params: { user_id: Id },
      description:
        'Requires that you are the owner. If you make another member the owner, you become an admin.',
      body: ChangeMember,
      reply: Member,
      fails: [...usual, 'member_not_found', 'invalid_transition'],
    },
    async ({ tx, principal, params, body: { role } }, deps) => {
      const seat = seatOf(principal, params.id)
      await changeRole(tx, deps, seat, params.user_id, role)
      const [member] = await membersOf(tx, seat, [params.user_id])
      if (!member) throw new Error('a member is gone in its own transaction')
      return member
    },
  ),

  removeConversationMember: del(
    `${path}/{user_id}`,
    'Remove a member; with your own id, leave the group',
    {
      params: { user_id: Id },
      description:
        'The owner can remove all others; admins can remove ordinary members. When the owner leaves, the oldest admin becomes the owner. If there is no admin, the oldest member does.',
      fails: usual,
    },
    async ({ tx, principal, params }, deps) => {
      const seat = seatOf(principal, params.id)
      await removeMember(tx, deps, seat, params.user_id)
    },
  ),

  markConversationRead: put(
    `${one}/read`,
    'Mark a conversation as read up to a message',
    {
      description: 'The sequence can only increase. A lower one changes nothing.',
      body: MarkRead,
      reply: ReadState,
      fails: ['sequence_out_of_range'],
    },
    async ({ tx, principal, params, body: { through_sequence } }, deps) => {
      const seat = seatOf(principal, params.id)
      const { is_news, is_shared, ...state } = await markRead(tx, deps, seat, through_sequence)
      if (is_news) {
        tx.afterCommit(() => deps.live.read(seat, state.last_read_sequence, is_shared))
      }
      return state
    },
  ),
})

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
