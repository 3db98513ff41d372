/**
 * Deletes a message: its text, its earlier texts and its files are deleted, and its sequence number
 * stays. The sender, the owner and admins of a group, and moderators may delete it. A moderator's
 * action is audited.
 */
import { Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import { endChanges, lockConversation, nextChange, type Changing } from '../conversations/change.ts'
import { findSeat, type Seated } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Seat } from '../schemas.ts'
import { isVisible, readMessage } from './find-message.ts'
import type { MessageRow } from './message-row.ts'

const Found = Type.Object({ it: Type.Boolean() })
const File = Type.Object({ file_id: nullable(Type.String()) })

type DeleteDeps = Pick<Deps, 'live' | 'files'>

export async function deleteMessage(
  tx: Tx,
  deps: DeleteDeps,
  seat: Seat,
  message_id: string,
  moderates: boolean,
): Promise<void> {
  await memberOrModerator(tx, seat, moderates)
  const conversation = await lockConversation(tx, seat)
  // Again, because the role may have been taken away while this waited for the lock.
  const member = await memberOrModerator(tx, seat, moderates)
  const message = await readMessage(tx, seat, message_id)
  if (!message || (member && !isVisible(member, message.sequence) && !moderates)) {
    throw problem('message_not_found')
  }
  const own = message.sender_id === seat.user_id
  const active = member?.left_sequence === null
  const rules = active && conversation.type === 'group' && member.role !== 'member'
  if (!((own && active) || rules || moderates)) {
    throw problem('permission_denied', {
      detail: 'The sender may delete a message, and the owner and admins of its group.',
    })
  }
  if (message.deleted_at !== null) return
  if (!(own && active) && !rules) {
    tx.audit('chat.messages.moderate', message_id)
  }
  await shredMessage(tx, deps, conversation, message, seat.user_id)
  await endChanges(tx, deps, conversation)
}

/** A moderator is not a member and must know the id of the conversation. */
async function memberOrModerator(tx: Tx, seat: Seat, moderates: boolean): Promise<Seated | null> {
  try {
    return await findSeat(tx, seat)
  } catch (error) {
    const { it } = await tx.one(
      Found,
      sql`
        select exists (select from chat.conversations
          where tenant_id = ${seat.tenant_id} and id = ${seat.id}) as it`,
    )
    if (moderates && it) return null
    throw error
  }
}

/** The conversation is locked. The caller writes the revision. */
export async function shredMessage(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  conversation: Changing,
  message: Pick<MessageRow, 'id' | 'sequence' | 'sender_id' | 'version'>,
  deleted_by: string,
): Promise<void> {
  const { tenant_id, id: conversation_id } = conversation
  const { id: message_id, sequence, sender_id, version } = message
  const data = { message_id, sequence, sender_id, version }
  const { revision, event_id } = nextChange(tx, conversation, 'message.deleted', data)
  await tx.run(sql`
    update chat.messages
    set body_cipher_or_ref = null, deleted_at = kernel.now(), deleted_by = ${deleted_by},
      revision = ${revision}, changed_event_id = ${event_id}
    where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
      and id = ${message_id}`)
  await tx.run(sql`
    delete from chat.message_versions
    where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
      and message_id = ${message_id}`)
  const gone = await tx.many(
    File,
    sql`
      update chat.attachments set state = 'deleted', filename = null
      where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
        and message_id = ${message_id} and (state <> 'deleted' or filename is not null)
      returning file_id`,
  )
  for (const { file_id } of gone) if (file_id) await files.remove(tx, { tenant_id, file_id })
}
