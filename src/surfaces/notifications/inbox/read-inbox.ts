/** Reads a user's inbox, and the changes in it after a position in its sequence. */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import { InboxItem } from './schemas.ts'

export type Whose = { readonly tenant_id: string; readonly user_id: string }

export const itemColumns = sql`id, sequence, category, title, body, url, read_at, archived_at, created_at`

const Count = Type.Object({ unread: Type.Integer() })
const Last = Type.Object({ last_sequence: Type.Integer() })
const Changed = Type.Object({ ...InboxItem.properties, changed: Type.Integer() })

export async function unreadCount(reader: Reader, { tenant_id, user_id }: Whose): Promise<number> {
  const { unread } = await reader.one(
    Count,
    sql`
      select count(*)::int as unread from notifications.inbox_items
      where tenant_id = ${tenant_id} and user_id = ${user_id} and read_at is null
        and archived_at is null`,
  )
  return unread
}

export async function lastSequence(reader: Reader, { tenant_id, user_id }: Whose): Promise<number> {
  const row = await reader.maybe(
    Last,
    sql`
      select last_sequence from notifications.inboxes
      where tenant_id = ${tenant_id} and user_id = ${user_id}`,
  )
  return row?.last_sequence ?? 0
}

export function changedSince(
  reader: Reader,
  { tenant_id, user_id }: Whose,
  after: number,
  many: number,
) {
  return reader.many(
    Changed,
    sql`
      select ${itemColumns}, changed from notifications.inbox_items
      where tenant_id = ${tenant_id} and user_id = ${user_id} and changed > ${after}
      order by changed, sequence limit ${many}`,
  )
}
