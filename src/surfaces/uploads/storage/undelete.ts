/**
 * After a restore of the database rows are back whose objects were deleted since. Takes back the
 * deletion of each object that a row names. Only a bucket that keeps versions can do it.
 */
import { Type } from 'typebox'
import { sql, StoreUnavailable } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

export type Undeleted = { readonly undeleted: number; readonly missing: number }

const portion = 500

export async function undelete({
  db,
  objects,
}: Pick<Kernel, 'db' | 'objects'>): Promise<Undeleted> {
  const { undelete } = objects
  if (!undelete) {
    throw new StoreUnavailable(
      'A folder keeps no deleted files: copy them back from a backup. With KERNEL_OBJECTS_ENGINE=s3 a bucket that keeps versions can undelete them.',
    )
  }
  let [undeleted, missing] = [0, 0]
  let after = ''
  for (;;) {
    const rows = await db.many(
      Type.Object({ storage_key: Type.String() }),
      sql`
        -- any tenant: a sweep
        select storage_key from uploads.files
        where storage_key > ${after} and state in ('uploaded', 'available', 'quarantined')
        union
        select d.storage_key from uploads.derivatives d
        join uploads.files f on f.tenant_id = d.tenant_id and f.id = d.file_id
        where d.storage_key > ${after} and d.state = 'ready' and f.state in ('available', 'quarantined')
        order by storage_key limit ${portion}`,
    )
    for (const { storage_key } of rows) {
      if (await objects.head(storage_key)) continue
      if (await undelete(storage_key)) undeleted++
      else missing++
    }
    const last = rows.at(-1)?.storage_key
    if (last === undefined || rows.length < portion) return { undeleted, missing }
    after = last
  }
}
