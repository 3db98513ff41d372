/** Creates a bookmark. It becomes stale when it is not changed for `bookmarks.stale_days`. */
import type { Principal } from '../../../src/kernel/access/principal.ts'
import type { Tx } from '../../../src/kernel/database/db.ts'
import { sql } from '../../../src/kernel/database/sql.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { staleAt } from './mark-stale.ts'
import { Bookmark, columns, type CreateBookmark } from './schemas.ts'
import type { Kernel } from './settings.ts'

export async function createBookmark(
  tx: Tx,
  { counted, settings }: Pick<Kernel, 'counted' | 'settings'>,
  { id: owner_id, tenant_id }: Pick<Principal, 'id' | 'tenant_id'>,
  { url, title, tags = [] }: CreateBookmark,
): Promise<Bookmark> {
  const mine = sql`
    select from bookmarks.bookmarks
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and deleted_at is null`
  const most = settings['bookmarks.per_owner']
  await counted(tx, `bookmarks.bookmarks:${tenant_id}:${owner_id}`, most, mine)
  const bookmark = await tx.one(
    Bookmark,
    sql`
      insert into bookmarks.bookmarks (tenant_id, id, owner_id, url, title, tags, due_at)
      values (${tenant_id}, ${newId()}, ${owner_id}, ${url}, ${title}, ${tags}::text[],
        ${staleAt(settings)})
      returning ${columns}`,
  )
  tx.emit({
    type: 'bookmark.created',
    tenant_id,
    aggregate_type: 'bookmark',
    aggregate_id: bookmark.id,
    aggregate_version: bookmark.version,
    data: { bookmark_id: bookmark.id, owner_id },
  })
  return bookmark
}
