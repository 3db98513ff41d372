/** A message as a row, and as one person may see it. */
import { Type, type Static } from 'typebox'
import { nullable, sql } from '#dodeca/kernel'
import type { Seated } from '../conversations/seat.ts'
import { Attachments, Bytes, type Message } from '../schemas.ts'
import type { BodyCipher } from './body-cipher.ts'

export const MessageRow = Type.Object({
  id: Type.String(),
  conversation_id: Type.String(),
  sequence: Type.Integer(),
  revision: Type.Integer(),
  sender_id: Type.String(),
  client_request_id: Type.String(),
  body_cipher_or_ref: nullable(Bytes),
  reply_to_sequence: nullable(Type.Integer()),
  version: Type.Integer(),
  attachments: nullable(Attachments),
  created_at: Type.String(),
  edited_at: nullable(Type.String()),
  deleted_at: nullable(Type.String()),
  created_event_id: Type.String(),
  changed_event_id: nullable(Type.String()),
})
export type MessageRow = Static<typeof MessageRow>

/** For `chat.messages m`. */
export const messageColumns = sql`
  m.id, m.conversation_id, m.sequence, m.revision, m.sender_id, m.client_request_id,
  m.body_cipher_or_ref, m.reply_to_sequence, m.version, m.created_at, m.edited_at, m.deleted_at,
  m.created_event_id, m.changed_event_id,
  case when m.attachment_count > 0 and m.deleted_at is null then (
    select jsonb_agg(jsonb_build_object('id', a.id, 'file_id', a.file_id, 'state', a.state,
      'media_type', a.media_type, 'size', a.size, 'filename', a.filename) order by a.position)
    from chat.attachments a
    where a.tenant_id = m.tenant_id and a.conversation_id = m.conversation_id
      and a.message_id = m.id) end as attachments`

/** The message for all readers. `showMessage` returns it for one reader. */
export function messageOf(cipher: BodyCipher, data_key: Buffer, row: MessageRow): Message {
  const { id: message_id, conversation_id, version } = row
  const sealed = row.body_cipher_or_ref
  return {
    id: row.id,
    conversation_id,
    sequence: row.sequence,
    revision: row.revision,
    sender_id: row.sender_id,
    client_request_id: row.client_request_id,
    body: sealed && cipher.open(data_key, { conversation_id, message_id, version }, sealed),
    reply_to_sequence: row.reply_to_sequence,
    version,
    attachments: row.attachments ?? [],
    created_at: row.created_at,
    edited_at: row.edited_at,
    deleted_at: row.deleted_at,
  }
}

/** Only the sender sees the key of the request. A former member does not see later changes. */
export function showMessage(
  message: Message,
  seat: Pick<Seated, 'user_id' | 'left_at_revision'>,
): Message {
  const { client_request_id: _key, ...rest } = message
  const shown = message.sender_id === seat.user_id ? message : rest
  const { left_at_revision: revision } = seat
  if (revision === null || message.revision <= revision) return shown
  return { ...shown, body: null, attachments: [], edited_at: null, deleted_at: null, revision }
}
