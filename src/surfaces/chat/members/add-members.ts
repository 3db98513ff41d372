/**
 * Adds people to a group, either all of them or none. A person who joins again sees only messages
 * from that time on.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { endChanges, lockConversation, nextChange } from '../conversations/change.ts'
import { requireSeat } from '../conversations/seat.ts'
import type { Seat } from '../schemas.ts'
import { placesOf, requireAddable, requireRoom } from './require-addable.ts'

const Known = Type.Object({ user_id: Type.String() })

export async function addMembers(
  tx: Tx,
  deps: Deps,
  seat: Seat,
  {
    user_ids: ids,
    role,
  }: { readonly user_ids: readonly string[]; readonly role: 'admin' | 'member' },
): Promise<void> {
  const before = await requireSeat(tx, seat)
  if (before.type === 'direct') throw problem('direct_members_fixed')
  const actor = { id: seat.user_id, tenant_id: seat.tenant_id }
  const named = { member: 'user_ids', ids }
  await requireAddable(tx, deps, actor, ids, named)
  await requireRoom(tx, deps, actor, ids)
  const conversation = await lockConversation(tx, seat)
  const own = await requireSeat(tx, seat)
  if (own.role === 'member' || (role === 'admin' && own.role !== 'owner')) {
    throw problem('permission_denied', {
      detail: 'The owner and admins add members; only the owner makes admins.',
    })
  }
  if (conversation.state === 'closed') throw problem('conversation_closed')
  const most = deps.kernel.settings['chat.group_members']
  if (conversation.member_count + ids.length > most) {
    throw problem('group_too_large', { detail: `A group has at most ${most} members.` })
  }
  const { tenant_id, id } = seat
  const there = await tx.many(
    Known,
    sql`
      select user_id from chat.conversation_members
      where tenant_id = ${tenant_id} and conversation_id = ${id}
        and user_id = any(${ids}::uuid[]) and left_sequence is null`,
  )
  if (there.length > 0) {
    const people = there.map(one => one.user_id)
    throw problem('already_member', { errors: placesOf(named, people, 'new_member') })
  }
  const rows = ids.map(user_id => {
    const { revision } = nextChange(tx, conversation, 'conversation.member_added', {
      user_id,
      role,
    })
    return { user_id, revision }
  })
  await tx.run(sql`
    insert into chat.conversation_members as b (tenant_id, conversation_id, user_id, role,
      joined_sequence, last_read_sequence, revision)
    select ${tenant_id}, ${id}, n.user_id, ${role}, ${conversation.latest_sequence},
      ${conversation.latest_sequence}, n.revision
    from ${sql.table(rows, { user_id: 'uuid', revision: 'int8' })} n
    on conflict on constraint conversation_members_pkey do update
    set role = excluded.role, joined_sequence = excluded.joined_sequence, left_sequence = null,
      left_reason = null, left_title = null, left_count = null, muted_until = null,
      last_read_sequence = excluded.last_read_sequence, revision = excluded.revision,
      joined_at = kernel.now(), changed_at = clock_timestamp()`)
  conversation.member_count += ids.length
  await endChanges(tx, deps, conversation)
  tx.afterCommit(() => deps.live.joined({ tenant_id, id }, ids))
}
