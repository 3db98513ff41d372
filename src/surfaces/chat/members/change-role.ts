/**
 * Changes the role of a member. Only the owner may. If the owner makes another member the owner,
 * the owner becomes an admin.
 */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { endChanges, lockConversation } from '../conversations/change.ts'
import { requireSeat } from '../conversations/seat.ts'
import type { Role, Seat } from '../schemas.ts'
import { findActive, setRole } from './remove-member.ts'

export async function changeRole(
  tx: Tx,
  deps: Pick<Deps, 'live'>,
  seat: Seat,
  user_id: string,
  role: Role,
): Promise<void> {
  const before = await requireSeat(tx, seat)
  if (before.type === 'direct') throw problem('direct_members_fixed')
  const conversation = await lockConversation(tx, seat)
  const own = await requireSeat(tx, seat)
  if (own.role !== 'owner') {
    throw problem('permission_denied', { detail: 'Only the owner of a group changes roles.' })
  }
  const member = await findActive(tx, conversation, user_id)
  if (!member) throw problem('member_not_found')
  if (member.role === role) return
  if (user_id === seat.user_id) {
    throw problem('invalid_transition', {
      current_state: 'owner',
      detail: 'Make another member the owner; that makes you an admin.',
    })
  }
  if (role === 'owner') await setRole(tx, conversation, seat.user_id, 'admin')
  await setRole(tx, conversation, user_id, role)
  await endChanges(tx, deps, conversation)
}
