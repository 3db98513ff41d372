/**
 * Finds whether a person is or was a member of a conversation, at the time of the request. A person
 * who was never a member gets the same error as if the conversation did not exist. This is checked
 * before anything is locked.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Principal, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Bytes, ConversationState, ConversationType, Role, type Seat } from '../schemas.ts'

const Seated = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  user_id: Type.String(),
  type: ConversationType,
  state: ConversationState,
  role: Role,
  joined_sequence: Type.Integer(),
  left_sequence: nullable(Type.Integer()),
  /** The revision at which the person left. */
  left_at_revision: nullable(Type.Integer()),
  last_read_sequence: Type.Integer(),
  /**
   * The conversation in its state for this person. A former member sees the state at the time of
   * leaving.
   */
  latest_sequence: Type.Integer(),
  revision: Type.Integer(),
  member_count: Type.Integer(),
  data_key: Bytes,
})
export type Seated = Static<typeof Seated>

export function seatOf(
  { id: user_id, tenant_id }: Pick<Principal, 'id' | 'tenant_id'>,
  id: string,
): Seat {
  return { tenant_id, id, user_id }
}

export async function findSeat(reader: Reader, { tenant_id, id, user_id }: Seat): Promise<Seated> {
  const seat = await reader.maybe(
    Seated,
    sql`
      select c.tenant_id, c.id, b.user_id, c.type, c.state, b.role, b.joined_sequence,
        b.left_sequence, case when b.left_sequence is not null then b.revision end
        as left_at_revision, b.last_read_sequence,
        coalesce(b.left_sequence, c.latest_sequence) as latest_sequence,
        case when b.left_sequence is null then c.revision else b.revision end as revision,
        c.member_count, c.data_key
      from chat.conversation_members b
      join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
      where b.tenant_id = ${tenant_id} and b.conversation_id = ${id} and b.user_id = ${user_id}`,
  )
  if (!seat) throw problem('conversation_not_found')
  return seat
}

/** For changes: a former member may only read. */
export async function requireSeat(reader: Reader, seat: Seat): Promise<Seated> {
  const found = await findSeat(reader, seat)
  if (found.left_sequence !== null) throw problem('not_a_member')
  return found
}
