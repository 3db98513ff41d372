/**
 * The history of a conversation. A page reads one range of the index by sequence, so its cost does
 * not depend on the length of the history.
 */
import { limit_default, sql, type List, type Reader } from '#dodeca/kernel'
import { findSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Seat } from '../schemas.ts'
import { asLeft } from './as-left.ts'
import { messageColumns, MessageRow, messageOf, showMessage } from './message-row.ts'
import type { History, HistoryQuery } from './schemas.ts'

type Place = { readonly sequence: number; readonly newer: boolean }

export async function readHistory(
  reader: Reader,
  { cipher }: Pick<Deps, 'cipher'>,
  seat: Seat,
  query: HistoryQuery,
  list: List,
): Promise<{ readonly body: History; readonly headers: Record<string, string> }> {
  const from = placeOf(query, list)
  const limit = query.limit ?? limit_default
  const own = await findSeat(reader, seat)
  const first = own.joined_sequence
  const { sequence, newer } = from
  const after = newer ? Math.max(sequence, first) : first
  const before = newer ? own.latest_sequence + 1 : Math.min(sequence, own.latest_sequence + 1)
  const rows = await reader.many(
    MessageRow,
    sql`
      select ${messageColumns} from chat.messages m
      where m.tenant_id = ${seat.tenant_id} and m.conversation_id = ${seat.id}
        and m.sequence > ${after} and m.sequence < ${before}
      order by ${newer ? sql`m.sequence` : sql`m.sequence desc`} limit ${limit + 1}`,
  )
  const scope = { ...list, query: { limit } }
  const { body, headers } = list.cursors.page(scope, rows, row => [row.sequence, newer ? 1 : 0])
  const seen = await asLeft(reader, seat.tenant_id, body.data, () => own.left_at_revision)
  const end = body.has_more ? (body.data.at(-1)?.sequence ?? null) : null
  return {
    headers,
    body: {
      ...body,
      data: seen.map(row => showMessage(messageOf(cipher, own.data_key, row), own)),
      next_before: newer ? null : end,
      next_after: newer ? end : null,
      latest_sequence: own.latest_sequence,
      revision: own.revision,
    },
  }
}

/**
 * The position to read from: a sequence, or a cursor that contains one. If both are missing, the
 * newest messages are read.
 */
function placeOf({ before, after, cursor }: HistoryQuery, list: List): Place {
  const given = [before, after, cursor].filter(one => one !== undefined)
  if (given.length > 1) {
    throw problem('validation_failed', {
      detail: 'Send one of `before`, `after` and `cursor`.',
      errors: [{ location: 'query', pointer: '/before', constraint: 'not' }],
    })
  }
  if (cursor !== undefined) {
    const { after: parts } = list.cursors.start({ ...list, query: { cursor } })
    const [sequence, newer] = parts ?? []
    if (typeof sequence !== 'number') throw problem('invalid_cursor')
    return { sequence, newer: newer === 1 }
  }
  if (after !== undefined) return { sequence: after, newer: true }
  return { sequence: before ?? Number.MAX_SAFE_INTEGER, newer: false }
}
