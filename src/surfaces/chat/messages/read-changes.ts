/**
 * Returns what changed since a revision: each message and member once, in its current form, in the
 * order of revisions. It reads state and not a log, so a revision never expires and ten edits are
 * one row.
 */
import { Type } from 'typebox'
import { sql, type List, type Reader } from '#dodeca/kernel'
import { isBlocked } from '../conversations/is-blocked.ts'
import { findSeat } from '../conversations/seat.ts'
import { memberFor } from '../conversations/show-conversations.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Member, type Seat } from '../schemas.ts'
import { messageColumns, MessageRow, messageOf, showMessage } from './message-row.ts'
import type { Changes, ChangesQuery } from './schemas.ts'

/** More than a page of other lists: a device that was away wants everything. */
const limit_of_changes = 200

const ChangedRow = Type.Object({
  ...MessageRow.properties,
  head_sequence: Type.Integer(),
  head_revision: Type.Integer(),
})
const MemberRow = Type.Object({ ...Member.properties, revision: Type.Integer() })

export async function readChanges(
  reader: Reader,
  { cipher, blocks }: Pick<Deps, 'cipher' | 'blocks'>,
  seat: Seat,
  query: ChangesQuery,
  list: List,
): Promise<{ readonly body: Changes; readonly headers: Record<string, string> }> {
  const { limit = limit_of_changes } = query
  const after = placeOf(query, list)
  const own = await findSeat(reader, seat)
  const { tenant_id, id } = seat
  // The head comes from the same snapshot as the rows. With an older head, a message that was changed
  // in between would be left out, and its reader would never learn that it was created.
  const rows = await reader.many(
    ChangedRow,
    sql`
      select ${messageColumns},
        coalesce(b.left_sequence, c.latest_sequence) as head_sequence,
        case when b.left_sequence is null then c.revision else b.revision end as head_revision
      from chat.conversation_members b
      join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
      join chat.messages m on m.tenant_id = b.tenant_id and m.conversation_id = b.conversation_id
      where b.tenant_id = ${tenant_id} and b.conversation_id = ${id} and b.user_id = ${seat.user_id}
        and m.revision > ${after} and (b.left_sequence is null or m.revision <= b.revision)
        and m.sequence > b.joined_sequence
        and m.sequence <= coalesce(b.left_sequence, c.latest_sequence)
      order by m.revision limit ${limit + 1}`,
  )
  const scope = { ...list, query: { limit } }
  const { body, headers } = list.cursors.page(scope, rows, row => [row.revision])
  const { data: shown, has_more } = body
  const head = rows[0]?.head_revision ?? own.revision
  const end = has_more ? (shown.at(-1)?.revision ?? head) : head
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
  const blocked = members.length > 0 && (await isBlocked(reader, { blocks }, own))
  return {
    headers,
    body: {
      ...body,
      data: shown.map(row => showMessage(messageOf(cipher, own.data_key, row), own)),
      members: members.map(({ revision: _at, ...member }) =>
        memberFor(seat.user_id, blocked, member),
      ),
      revision: end,
      latest_sequence: rows[0]?.head_sequence ?? own.latest_sequence,
      next_after: has_more ? end : null,
    },
  }
}

/** The revision to read from: the one given, or the one in a cursor. */
function placeOf({ after, cursor }: ChangesQuery, list: List): number {
  if (cursor === undefined) return after ?? 0
  if (after !== undefined) {
    throw problem('validation_failed', {
      detail: 'Send one of `after` and `cursor`.',
      errors: [{ location: 'query', pointer: '/after', constraint: 'not' }],
    })
  }
  const { after: parts } = list.cursors.start({ ...list, query: { cursor } })
  const [revision] = parts ?? []
  if (typeof revision !== 'number') throw problem('invalid_cursor')
  return revision
}
