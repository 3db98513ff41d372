/** Deletes a bookmark. Its row stays for a time, so that a repeated request succeeds too. */
import { Type } from 'typebox'
import type { Principal } from '../../../src/kernel/access/principal.ts'
import type { Tx } from '../../../src/kernel/database/db.ts'
import { sql } from '../../../src/kernel/database/sql.ts'
import { hasVersion, preconditionFailed } from '../../../src/kernel/http/etag.ts'
import { nullable, Time, Version } from '../../../src/kernel/http/shapes.ts'
import { dueAt } from '../../../src/kernel/work/due-queue.ts'
import { problem } from './errors.ts'

const never = sql`null`
const Row = Type.Object({ version: Version, deleted_at: nullable(Time) })

export async function deleteBookmark(
  tx: Tx,
  { tenant_id, id: owner_id }: Principal,
  id: string,
  versions: readonly number[] | null,
): Promise<void> {
  const deleted = await tx.maybe(
    Row,
    sql`
      update bookmarks.bookmarks
      set deleted_at = kernel.now(), version = version + 1, ${dueAt(never)}
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
        and deleted_at is null and ${hasVersion(versions)}
      returning version, deleted_at`,
  )
  if (deleted) {
    tx.emit({
      type: 'bookmark.deleted',
      tenant_id,
      aggregate_type: 'bookmark',
      aggregate_id: id,
      aggregate_version: deleted.version,
      data: { bookmark_id: id, owner_id },
    })
    return
  }
  const found = await tx.maybe(
    Row,
    sql`
      select version, deleted_at from bookmarks.bookmarks
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`,
  )
  if (!found) throw problem('bookmark_not_found')
  // A repeated deletion succeeds with any version.
  if (found.deleted_at === null) throw preconditionFailed(found.version)
}
