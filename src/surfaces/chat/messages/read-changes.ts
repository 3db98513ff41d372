/**
 * Returns what changed since a revision: each message and member once, in its current form, in the
 * order of revisions. It reads state and not a log, so a revision never expires and ten edits are
 * one row.
 */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { findSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { Member, type Seat } from '../schemas.ts'
import { messageColumns, MessageRow, messageOf, showMessage } from './message-row.ts'
import type { Changes } from './schemas.ts'

const MemberRow = Type.Object({ ...Member.properties, revision: Type.Integer() })

export async function readChanges(
  reader: Reader,
  { cipher }: Pick<Deps, 'cipher'>,
  seat: Seat,
  after: number,
  limit: number,
): Promise<Changes> {
  const own = await findSeat(reader, seat)
  const { tenant_id, id } = seat
  // Changes that commit after the head was read are returned by the next call.
  const rows = await reader.many(
    MessageRow,
    sql`
      select ${messageColumns} from chat.messages m
      where m.tenant_id = ${tenant_id} and m.conversation_id = ${id}
        and m.revision > ${after} and m.revision <= ${own.revision}
        and m.sequence > ${own.joined_sequence} and m.sequence <= ${own.latest_sequence}
      order by m.revision limit ${limit + 1}`,
  )
  const has_more = rows.length > limit
  const shown = rows.slice(0, limit)
  const end = has_more ? (shown.at(-1)?.revision ?? own.revision) : own.revision
  const members = await reader.many(
    MemberRow,
    sql`
      select user_id, role, joined_sequence, left_sequence, last_read_sequence, revision
      from chat.conversation_members
      where tenant_id = ${tenant_id} and conversation_id = ${id}
        and revision > ${after} and revision <= ${end}
        and (${own.left_sequence === null} or user_id = ${seat.user_id})
      order by revision`,
  )
  return {
    data: shown.map(row => showMessage(messageOf(cipher, own.data_key, row), own)),
    members: members.map(({ revision: _at, ...member }) => member),
    revision: end,
    latest_sequence: own.latest_sequence,
    next_after: has_more ? end : null,
    has_more,
  }
}
