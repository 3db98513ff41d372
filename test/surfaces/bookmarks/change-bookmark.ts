/** Changes a bookmark. The change decides by its own `where` whether If-Match holds. */
import type { Principal } from '../../../src/kernel/access/principal.ts'
import type { Tx } from '../../../src/kernel/database/db.ts'
import { sql } from '../../../src/kernel/database/sql.ts'
import { hasVersion, preconditionFailed } from '../../../src/kernel/http/etag.ts'
import { dueAt } from '../../../src/kernel/work/due-queue.ts'
import { problem } from './errors.ts'
import { staleAt } from './mark-stale.ts'
import { Bookmark, type ChangeBookmark, columns } from './schemas.ts'
import type { Kernel } from './settings.ts'

export async function changeBookmark(
  tx: Tx,
  { settings }: Pick<Kernel, 'settings'>,
  { tenant_id, id: owner_id }: Principal,
  { id, url, title, tags }: ChangeBookmark & { readonly id: string },
  versions: readonly number[] | null,
): Promise<Bookmark> {
  const changed = await tx.maybe(
    Bookmark,
    sql`
      update bookmarks.bookmarks
      set url = coalesce(${url ?? null}, url), title = coalesce(${title ?? null}, title),
        tags = coalesce(${tags ?? null}::text[], tags), stale = false, version = version + 1,
        updated_at = kernel.now(), ${dueAt(staleAt(settings))}
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
        and deleted_at is null and ${hasVersion(versions)}
      returning ${columns}`,
  )
  if (changed) return changed
  const found = await tx.maybe(
    Bookmark,
    sql`
      select ${columns} from bookmarks.bookmarks
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
        and deleted_at is null`,
  )
  throw found ? preconditionFailed(found.version) : problem('bookmark_not_found')
}
