/**
 * Stores how far a person has read: one sequence number for each member. The number never
 * decreases. Other members see it, but not across a block, and not of a person who has left.
 */
import { Type } from 'typebox'
import { sql, type Db, type Tx } from '#dodeca/kernel'
import { isBlocked } from '../conversations/is-blocked.ts'
import { findSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { unreadOf } from '../conversations/show-conversations.ts'
import type { Seat } from '../schemas.ts'

const Read = Type.Object({ last_read_sequence: Type.Integer() })

export type ReadState = {
  readonly last_read_sequence: number
  readonly unread_count: number
  /** Whether the sequence increased now. */
  readonly is_news: boolean
  /** Whether the other members may see that. */
  readonly is_shared: boolean
}

export async function markRead(
  door: Tx | Db,
  deps: Pick<Deps, 'blocks'>,
  seat: Seat,
  through_sequence: number,
): Promise<ReadState> {
  const before = await findSeat(door, seat)
  if (through_sequence > before.latest_sequence) {
    throw problem('sequence_out_of_range', {
      detail: `The latest sequence that you may see is ${before.latest_sequence}.`,
    })
  }
  const { tenant_id, id, user_id } = seat
  const moved = await door.maybe(
    Read,
    sql`
      update chat.conversation_members set last_read_sequence = ${through_sequence}
      where tenant_id = ${tenant_id} and conversation_id = ${id} and user_id = ${user_id}
        and last_read_sequence < ${through_sequence}
      returning last_read_sequence`,
  )
  const last_read_sequence =
    moved?.last_read_sequence ?? (await findSeat(door, seat)).last_read_sequence
  return {
    last_read_sequence,
    unread_count: unreadOf({ ...before, last_read_sequence }),
    is_news: moved !== undefined,
    is_shared:
      moved !== undefined &&
      before.left_sequence === null &&
      !(await isBlocked(door, deps, before)),
  }
}
