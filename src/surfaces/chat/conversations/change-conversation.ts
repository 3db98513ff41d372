/** Renames, closes and opens a group. */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Seat } from '../schemas.ts'
import { endChanges, lockConversation, nextChange } from './change.ts'
import { normalTitle } from './normal-title.ts'
import type { ChangeConversation } from './schemas.ts'
import { requireSeat } from './seat.ts'

export async function changeConversation(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'live'>,
  seat: Seat,
  { title: given, state }: ChangeConversation,
): Promise<void> {
  await requireSeat(tx, seat)
  const title = typeof given === 'string' ? normalTitle(deps.kernel, given) : given
  const conversation = await lockConversation(tx, seat)
  const { role } = await requireSeat(tx, seat)
  if (conversation.type === 'direct' || role === 'member') {
    throw problem('permission_denied', {
      detail: 'Only the owner and admins of a group may change it.',
    })
  }
  if (conversation.state === 'closed' && state !== 'active') {
    throw problem('invalid_transition', {
      current_state: 'closed',
      detail: 'The conversation is closed. Open it with `state: active` first.',
    })
  }
  const before = conversation.revision
  if (title !== undefined && title !== conversation.title) {
    conversation.title = title
    nextChange(tx, conversation, 'conversation.updated')
  }
  if (state !== undefined && state !== conversation.state) {
    conversation.state = state
    nextChange(
      tx,
      conversation,
      state === 'closed' ? 'conversation.closed' : 'conversation.reopened',
    )
  }
  if (conversation.revision > before) await endChanges(tx, deps, conversation)
}
