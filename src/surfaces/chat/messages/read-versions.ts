/**
 * The earlier texts of a message, for a former member those before the text that the member saw
 * last. A deleted message has none.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import { findSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { Bytes, type Seat } from '../schemas.ts'
import { findMessage } from './find-message.ts'
import type { MessageVersions } from './schemas.ts'

const Row = Type.Object({
  version: Type.Integer(),
  body_ref: Bytes,
  edited_at: Type.String(),
})

export async function readVersions(
  reader: Reader,
  deps: Pick<Deps, 'cipher'>,
  seat: Seat,
  message_id: string,
): Promise<MessageVersions> {
  const own = await findSeat(reader, seat)
  const message = await findMessage(reader, deps, own, message_id)
  const { tenant_id, id: conversation_id } = seat
  const rows = await reader.many(
    Row,
    sql`
      select version, body_ref, edited_at from chat.message_versions
      where tenant_id = ${tenant_id} and conversation_id = ${conversation_id}
        and message_id = ${message.id} and version < ${message.version}
        and body_ref is not null
      order by version desc`,
  )
  return {
    data: rows.map(({ version, body_ref, edited_at }) => ({
      version,
      body: deps.cipher.open(
        own.data_key,
        { conversation_id, message_id: message.id, version },
        body_ref,
      ),
      edited_at,
    })),
  }
}
