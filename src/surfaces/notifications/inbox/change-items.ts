/**
 * Marks items of an inbox as read or archived. Each change takes the next number of the inbox's
 * sequence.
 */
import { Type } from 'typebox'
import { sql, type Sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { itemColumns, type Whose } from './read-inbox.ts'
import { InboxItem, type ChangeItem } from './schemas.ts'

const Next = Type.Object({ last_sequence: Type.Integer() })

/** Locks the inbox, so that numbers increase in commit order. */
async function nextSequence(tx: Tx, { tenant_id, user_id }: Whose): Promise<number | null> {
  const row = await tx.maybe(
    Next,
    sql`
      update notifications.inboxes set last_sequence = last_sequence + 1
      where tenant_id = ${tenant_id} and user_id = ${user_id}
      returning last_sequence`,
  )
  return row?.last_sequence ?? null
}

export async function changeItem(
  tx: Tx,
  whose: Whose,
  id: string,
  { read, archived }: ChangeItem,
): Promise<InboxItem> {
  const { tenant_id, user_id } = whose
  const sequence = await nextSequence(tx, whose)
  const set = (column: 'read_at' | 'archived_at', wanted: boolean | undefined): Sql => {
    const name = sql.id(column)
    if (wanted === undefined) return sql`${name} = ${name}`
    return wanted ? sql`${name} = coalesce(${name}, kernel.now())` : sql`${name} = null`
  }
  const changed = await tx.maybe(
    InboxItem,
    sql`
      update notifications.inbox_items
      set ${set('read_at', read)}, ${set('archived_at', archived)}, changed = ${sequence}
      where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}
      returning ${itemColumns}`,
  )
  if (!changed) throw problem('inbox_item_not_found')
  return changed
}

/** Returns how many items were unread. */
export async function readAll(tx: Tx, whose: Whose, before: string | undefined): Promise<number> {
  const { tenant_id, user_id } = whose
  const sequence = await nextSequence(tx, whose)
  if (sequence === null) return 0
  return tx.run(sql`
    update notifications.inbox_items set read_at = kernel.now(), changed = ${sequence}
    where tenant_id = ${tenant_id} and user_id = ${user_id} and read_at is null
      and created_at <= coalesce(${before ?? null}::timestamptz, kernel.now())`)
}
