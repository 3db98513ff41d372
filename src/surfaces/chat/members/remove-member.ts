/**
 * Removes a member, or lets a member leave. When the owner leaves, the oldest admin becomes the
 * owner, or else the oldest member. When the last member leaves, the conversation is closed, and a
 * direct one when one of the two is erased: its messages would have no reader.
 */
import { Type, type Static } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { endChanges, lockConversation, nextChange, type Changing } from '../conversations/change.ts'
import { findSeat, type Seated } from '../conversations/seat.ts'
import { Role, type Seat } from '../schemas.ts'

const Active = Type.Object({ user_id: Type.String(), role: Role })
type Active = Static<typeof Active>

export async function removeMember(
  tx: Tx,
  deps: Pick<Deps, 'live'>,
  seat: Seat,
  user_id: string,
): Promise<void> {
  const itself = user_id === seat.user_id
  const before = await findRemover(tx, seat, itself)
  if (!before) return
  if (before.type === 'direct') throw problem('direct_members_fixed')
  const conversation = await lockConversation(tx, seat)
  const own = await findRemover(tx, seat, itself)
  if (!own) return
  const member = await findActive(tx, conversation, user_id)
  if (!member) return
  if (!itself && !outranks(own.role, member.role)) {
    throw problem('permission_denied', {
      detail: 'The owner removes everybody, and admins remove members.',
    })
  }
  await endMembership(tx, conversation, member, itself ? 'left' : 'removed')
  await endChanges(tx, deps, conversation)
}

/** Undefined if the person leaves and has left before: that changes nothing. */
async function findRemover(tx: Tx, seat: Seat, itself: boolean): Promise<Seated | undefined> {
  const found = await findSeat(tx, seat)
  if (found.left_sequence === null) return found
  if (itself) return undefined
  throw problem('not_a_member')
}

const ranks: Readonly<Record<Role, number>> = { owner: 2, admin: 1, member: 0 }
function outranks(one: Role, other: Role): boolean {
  return ranks[one] > ranks[other]
}

export async function findActive(
  tx: Tx,
  { tenant_id, id }: Pick<Changing, 'tenant_id' | 'id'>,
  user_id: string,
): Promise<Active | undefined> {
  return await tx.maybe(
    Active,
    sql`
      select user_id, role from chat.conversation_members
      where tenant_id = ${tenant_id} and conversation_id = ${id} and user_id = ${user_id}
        and left_sequence is null`,
  )
}

/** The conversation is locked. The caller writes the revision. */
export async function endMembership(
  tx: Tx,
  conversation: Changing,
  { user_id, role }: Active,
  reason: 'left' | 'removed' | 'erased',
): Promise<void> {
  const { tenant_id, id } = conversation
  const { revision } = nextChange(tx, conversation, 'conversation.member_removed', {
    user_id,
    reason,
  })
  await tx.run(sql`
    update chat.conversation_members
    set left_sequence = ${conversation.latest_sequence}, left_reason = ${reason},
      left_title = ${conversation.title}, left_count = ${conversation.member_count},
      revision = ${revision}, changed_at = clock_timestamp()
    where tenant_id = ${tenant_id} and conversation_id = ${id} and user_id = ${user_id}`)
  conversation.member_count--
  if (conversation.member_count === 0 || conversation.type === 'direct') {
    if (conversation.state === 'closed') return
    conversation.state = 'closed'
    nextChange(tx, conversation, 'conversation.closed')
    return
  }
  if (role === 'owner') await passOwnership(tx, conversation)
}

async function passOwnership(tx: Tx, conversation: Changing): Promise<void> {
  const { tenant_id, id } = conversation
  const heir = await tx.one(
    Active,
    sql`
      select user_id, role from chat.conversation_members
      where tenant_id = ${tenant_id} and conversation_id = ${id} and left_sequence is null
      order by (role = 'admin') desc, joined_at, user_id limit 1`,
  )
  await setRole(tx, conversation, heir.user_id, 'owner')
}

export async function setRole(
  tx: Tx,
  conversation: Changing,
  user_id: string,
  role: Role,
): Promise<void> {
  const { tenant_id, id } = conversation
  const { revision } = nextChange(tx, conversation, 'conversation.member_role_changed', {
    user_id,
    role,
  })
  await tx.run(sql`
    update chat.conversation_members
    set role = ${role}, revision = ${revision}, changed_at = clock_timestamp()
    where tenant_id = ${tenant_id} and conversation_id = ${id} and user_id = ${user_id}`)
}
