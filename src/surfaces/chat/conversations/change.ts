/**
 * Every change of a conversation locks its row, adds 1 to its revision and emits one event with
 * that revision. The changed row keeps the revision of its change. A reader that knows a revision
 * finds all later changes.
 */
import { Type, type Static } from 'typebox'
import { newId, nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announce, type ChatEvent } from '../events.ts'
import { Bytes, ConversationState, ConversationType, type Key } from '../schemas.ts'

const Locked = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  type: ConversationType,
  state: ConversationState,
  title: nullable(Type.String()),
  latest_sequence: Type.Integer(),
  revision: Type.Integer(),
  member_count: Type.Integer(),
  data_key: Bytes,
})
type Locked = Static<typeof Locked>

/** A locked conversation. `revision` increases with each change of this transaction. */
export type Changing = Locked & { revision: number }

export async function lockConversation(tx: Tx, { tenant_id, id }: Key): Promise<Changing> {
  return await tx.one(
    Locked,
    sql`
      select tenant_id, id, type, state, title, latest_sequence, revision, member_count, data_key
      from chat.conversations
      where tenant_id = ${tenant_id} and id = ${id}
      for no key update`,
  )
}

/** The next change: its revision and the id of its event. */
export function nextChange(
  tx: Tx,
  conversation: Changing,
  type: ChatEvent,
  more: object = {},
): { revision: number; event_id: string } {
  conversation.revision++
  const { revision } = conversation
  const event_id = announce(tx, type, conversation, revision, more, newId())
  return { revision, event_id }
}

/** Writes the revision. After the commit it notifies the sockets. */
export async function endChanges(
  tx: Tx,
  { live }: Pick<Deps, 'live'>,
  conversation: Changing,
): Promise<void> {
  const { tenant_id, id, revision, latest_sequence, member_count, title, state } = conversation
  await tx.run(sql`
    update chat.conversations
    set revision = ${revision}, member_count = ${member_count}, title = ${title}, state = ${state}
    where tenant_id = ${tenant_id} and id = ${id}`)
  tx.afterCommit(() => live.changed({ tenant_id, id, revision, latest_sequence }))
}
