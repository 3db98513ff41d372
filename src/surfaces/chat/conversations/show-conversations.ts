/**
 * Conversations as one person sees them, each with its last message, up to twenty members and the
 * person's own membership. Former members see the conversation as it was when they left.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { asLeft } from '../messages/as-left.ts'
import { messageColumns, MessageRow, messageOf, showMessage } from '../messages/message-row.ts'
import { Bytes, ConversationState, ConversationType, Member, Role, type Seat } from '../schemas.ts'
import type { Conversation } from './schemas.ts'

export const ConversationRow = Type.Object({
  id: Type.String(),
  type: ConversationType,
  title: nullable(Type.String()),
  state: ConversationState,
  created_at: Type.String(),
  latest_sequence: Type.Integer(),
  revision: Type.Integer(),
  last_message_at: nullable(Type.String()),
  member_count: Type.Integer(),
  members: Type.Array(Member),
  data_key: Bytes,
  user_id: Type.String(),
  role: Role,
  joined_sequence: Type.Integer(),
  left_sequence: nullable(Type.Integer()),
  left_at_revision: nullable(Type.Integer()),
  last_read_sequence: Type.Integer(),
  muted_until: nullable(Type.String()),
  hidden: Type.Boolean(),
  /** In microseconds; the time in replies is less exact. */
  active_us: Type.Integer(),
})
type ConversationRow = Static<typeof ConversationRow>

const members_shown = 20

/** Selects from `chat.conversation_members b` and `chat.conversations c`. */
export function conversationColumns(): Sql {
  return sql`
    c.id, c.type, case when b.left_sequence is null then c.title else b.left_title end as title,
    c.state, c.created_at, coalesce(b.left_sequence, c.latest_sequence) as latest_sequence,
    case when b.left_sequence is null then c.revision else b.revision end as revision,
    case when b.left_sequence is null then c.last_message_at else (
      select m.created_at from chat.messages m
      where m.tenant_id = b.tenant_id and m.conversation_id = b.conversation_id
        and m.sequence = b.left_sequence) end as last_message_at,
    coalesce(b.left_count, c.member_count) as member_count,
    (select coalesce(jsonb_agg(to_jsonb(s) order by s.joined_at, s.user_id), '[]') from (
      select o.user_id, o.role, o.joined_sequence, o.left_sequence, o.last_read_sequence,
        o.joined_at
      from chat.conversation_members o
      where o.tenant_id = b.tenant_id and o.conversation_id = b.conversation_id
        and case when b.left_sequence is null then o.left_sequence is null
          else o.user_id = b.user_id end
      order by o.joined_at, o.user_id limit ${members_shown}) s) as members,
    c.data_key, b.user_id, b.role, b.joined_sequence, b.left_sequence,
    case when b.left_sequence is not null then b.revision end as left_at_revision,
    b.last_read_sequence, b.muted_until,
    coalesce(b.hidden_sequence >= c.latest_sequence, false) as hidden,
    (extract(epoch from coalesce(c.last_message_at, c.created_at)) * 1000000)::bigint as active_us`
}

export async function findConversation(
  reader: Reader,
  deps: Pick<Deps, 'cipher' | 'blocks'>,
  { tenant_id, id, user_id }: Seat,
): Promise<Conversation> {
  const row = await reader.maybe(
    ConversationRow,
    sql`
      select ${conversationColumns()}
      from chat.conversation_members b
      join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
      where b.tenant_id = ${tenant_id} and b.conversation_id = ${id} and b.user_id = ${user_id}`,
  )
  if (!row) throw problem('conversation_not_found')
  const [shown] = await showConversations(reader, deps, tenant_id, [row])
  if (!shown) throw problem('conversation_not_found')
  return shown
}

export async function showConversations(
  reader: Reader,
  { cipher, blocks }: Pick<Deps, 'cipher' | 'blocks'>,
  tenant_id: string,
  rows: readonly ConversationRow[],
): Promise<Conversation[]> {
  const apart = await blockedConversations(reader, { blocks }, tenant_id, rows)
  const wanted = rows.filter(row => row.latest_sequence > row.joined_sequence)
  const last = new Map<string, MessageRow>()
  if (wanted.length > 0) {
    const found = await reader.many(
      MessageRow,
      sql`
        select ${messageColumns}
        from ${sql.table(wanted, { id: 'uuid', latest_sequence: 'int8' })} w
        join chat.messages m on m.tenant_id = ${tenant_id} and m.conversation_id = w.id
          and m.sequence = w.latest_sequence`,
    )
    const lefts = new Map(rows.map(row => [row.id, row.left_at_revision]))
    const leftAt = (row: MessageRow) => lefts.get(row.conversation_id) ?? null
    const seen = await asLeft(reader, tenant_id, found, leftAt)
    for (const row of seen) last.set(row.conversation_id, row)
  }
  return rows.map(row => {
    const message = last.get(row.id)
    return {
      id: row.id,
      type: row.type,
      title: row.title,
      state: row.state,
      created_at: row.created_at,
      latest_sequence: row.latest_sequence,
      revision: row.revision,
      last_message_at: row.last_message_at,
      last_message: message ? showMessage(messageOf(cipher, row.data_key, message), row) : null,
      member_count: row.member_count,
      members: row.members.map(one => memberFor(row.user_id, apart.has(row.id), memberOf(one))),
      me: {
        role: row.role,
        joined_sequence: row.joined_sequence,
        left_sequence: row.left_sequence,
        last_read_sequence: row.last_read_sequence,
        unread_count: unreadOf(row),
        muted_until: row.muted_until,
        hidden: row.hidden,
      },
    }
  })
}

function memberOf({ user_id, role, joined_sequence, left_sequence, last_read_sequence }: Member) {
  return { user_id, role, joined_sequence, left_sequence, last_read_sequence }
}

/** The direct conversations among these whose two people block each other. */
async function blockedConversations(
  reader: Reader,
  { blocks }: Pick<Deps, 'blocks'>,
  tenant_id: string,
  rows: readonly ConversationRow[],
): Promise<ReadonlySet<string>> {
  const pairs = rows.flatMap(({ id, type, user_id, members }) => {
    const other = type === 'direct' && members.find(one => one.user_id !== user_id)
    return other ? [{ id, pair: [user_id, other.user_id] as const }] : []
  })
  if (pairs.length === 0) return new Set()
  const blocked = await blocks.blockedPairs(
    reader,
    tenant_id,
    pairs.map(one => one.pair),
  )
  return new Set(pairs.filter((_, at) => blocked[at]).map(one => one.id))
}

/** How far the other person has read is not shown across a block. */
export function memberFor(viewer_id: string, blocked: boolean, member: Member): Member {
  if (!blocked || member.user_id === viewer_id) return member
  return { ...member, last_read_sequence: member.joined_sequence }
}

/** The difference of two stored numbers, so the count cannot drift. */
export function unreadOf(row: {
  readonly latest_sequence: number
  readonly last_read_sequence: number
  readonly joined_sequence: number
}): number {
  return Math.max(0, row.latest_sequence - Math.max(row.last_read_sequence, row.joined_sequence))
}
