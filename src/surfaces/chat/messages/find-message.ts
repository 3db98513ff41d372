/** Finds one message of a conversation, as a person may see it. */
import { sql, type Reader } from '#dodeca/kernel'
import type { Seated } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Message } from '../schemas.ts'
import { asLeft } from './as-left.ts'
import { messageColumns, MessageRow, messageOf, showMessage } from './message-row.ts'

export async function findMessage(
  reader: Reader,
  { cipher }: Pick<Deps, 'cipher'>,
  seat: Seated,
  message_id: string,
): Promise<Message> {
  const row = await readMessage(reader, seat, message_id)
  if (!row || !isVisible(seat, row.sequence)) throw problem('message_not_found')
  const [seen = row] = await asLeft(reader, seat.tenant_id, [row], () => seat.left_at_revision)
  return showMessage(messageOf(cipher, seat.data_key, seen), seat)
}

export async function readMessage(
  reader: Reader,
  { tenant_id, id }: Pick<Seated, 'tenant_id' | 'id'>,
  message_id: string,
): Promise<MessageRow | undefined> {
  return await reader.maybe(
    MessageRow,
    sql`
      select ${messageColumns} from chat.messages m
      where m.tenant_id = ${tenant_id} and m.conversation_id = ${id} and m.id = ${message_id}`,
  )
}

export function isVisible(
  { joined_sequence, left_sequence }: Pick<Seated, 'joined_sequence' | 'left_sequence'>,
  sequence: number,
): boolean {
  return sequence > joined_sequence && (left_sequence === null || sequence <= left_sequence)
}
