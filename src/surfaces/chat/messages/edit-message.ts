/**
 * Replaces the text of the caller's own message. The earlier text stays as a version until the
 * message is deleted. The same text changes nothing, so a repeat succeeds although no edit is left.
 */
import { Type } from 'typebox'
import { expectVersion, sql, type Tx } from '#dodeca/kernel'
import { endChanges, lockConversation, nextChange } from '../conversations/change.ts'
import { isBlocked } from '../conversations/is-blocked.ts'
import { requireSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Seat } from '../schemas.ts'
import { normalText } from './body-text.ts'
import { isVisible, readMessage } from './find-message.ts'
import { messageOf } from './message-row.ts'

const Window = Type.Object({ open: Type.Boolean() })

export type Edit = {
  readonly message_id: string
  readonly body: string
  readonly if_match: string | string[] | undefined
}

export async function editMessage(tx: Tx, deps: Deps, seat: Seat, edit: Edit): Promise<void> {
  const { kernel, cipher } = deps
  const text = normalText(kernel, edit.body)
  await requireSeat(tx, seat)
  const conversation = await lockConversation(tx, seat)
  const own = await requireSeat(tx, seat)
  const message = await readMessage(tx, seat, edit.message_id)
  if (!message || !isVisible(own, message.sequence)) throw problem('message_not_found')
  if (message.sender_id !== seat.user_id) {
    throw problem('permission_denied', { detail: 'Only the sender may edit a message.' })
  }
  if (message.deleted_at !== null) throw problem('message_deleted')
  if (await isBlocked(tx, deps, own)) throw problem('message_not_allowed')
  if (conversation.state === 'closed') throw problem('conversation_closed')
  expectVersion(edit.if_match, message.version)
  if (messageOf(cipher, conversation.data_key, message).body === text) return
  await requireWindow(tx, deps, message.created_at)
  if (message.version > kernel.settings['chat.edits_max']) throw problem('too_many_edits')
  const { tenant_id, id: conversation_id } = seat
  const version = message.version + 1
  const place = { conversation_id, message_id: message.id, version }
  const { revision, event_id } = nextChange(tx, conversation, 'message.updated', {
    message_id: message.id,
    sequence: message.sequence,
    sender_id: message.sender_id,
    version,
  })
  await tx.run(sql`
    insert into chat.message_versions
      (tenant_id, conversation_id, message_id, version, body_ref, replaced_at_revision)
    values (${tenant_id}, ${conversation_id}, ${message.id}, ${message.version},
      ${message.body_cipher_or_ref}, ${revision})`)
  await tx.run(sql`
    update chat.messages
    set body_cipher_or_ref = ${cipher.seal(conversation.data_key, place, text)},
      version = ${version}, revision = ${revision}, edited_at = kernel.now(),
      changed_event_id = ${event_id}
    where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
      and id = ${message.id}`)
  await endChanges(tx, deps, conversation)
}

async function requireWindow(tx: Tx, { kernel }: Pick<Deps, 'kernel'>, created_at: string) {
  const hours = kernel.settings['chat.edit_hours']
  const { open } = await tx.one(
    Window,
    sql`
      select kernel.now() < ${created_at}::timestamptz + make_interval(hours => ${hours}) as open`,
  )
  if (!open) {
    throw problem('edit_window_closed', { detail: `A message may be edited for ${hours} hours.` })
  }
}
