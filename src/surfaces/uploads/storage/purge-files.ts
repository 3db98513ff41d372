/**
 * Removes the bytes of files after their time in quarantine, or after their deletion. First a
 * transaction makes the file `purged`, so that no rescan can restore a file that is being removed.
 * `retention_until` is cleared last. So if a sweep is killed, the next one continues.
 */
import { Type, type Static } from 'typebox'
import { Id, sql } from '#dodeca/kernel'
import { announceFile } from '../events.ts'
import { Purpose, Size } from '../schemas.ts'
import type { Kernel } from '../settings.ts'
import type { OwnStore } from './own-store.ts'
import { releaseBytes } from './release.ts'
import { removeEach } from './remove-each.ts'

const portion = 50
const Old = Type.Object({ tenant_id: Id, id: Id })
const Purged = Type.Object({ tenant_id: Id, id: Id, purpose: Purpose, version: Type.Integer() })

export async function purgeFiles(
  kernel: Pick<Kernel, 'db' | 'objects' | 'log'>,
  store: OwnStore,
): Promise<number> {
  const { db } = kernel
  await db.tx(async tx => {
    const purged = await tx.many(
      Purged,
      sql`
        -- any tenant: a sweep
        update uploads.files f
        set state = 'purged', version = f.version + 1, stage = null, due_at = null,
          deleted_at = coalesce(f.deleted_at, kernel.now())
        from (select tenant_id, id from uploads.files
          where retention_until <= kernel.now() and state in ('quarantined', 'deleted')
          order by retention_until limit ${portion} for update skip locked) old
        where f.tenant_id = old.tenant_id and f.id = old.id
        returning f.tenant_id, f.id, f.purpose, f.version`,
    )
    for (const file of purged) announceFile(tx, 'file.purged', file)
  })
  const found = await db.many(
    Old,
    sql`
      -- any tenant: a sweep
      select tenant_id, id from uploads.files
      where retention_until <= kernel.now() and state = 'purged'
      order by retention_until limit ${portion}`,
  )
  return await removeEach(kernel, store, 'files', found, file => removeBytes(kernel, file))
}

async function removeBytes(
  { db, objects }: Pick<Kernel, 'db' | 'objects'>,
  { tenant_id, id }: Static<typeof Old>,
): Promise<void> {
  const keys = await db.many(
    Type.Object({ storage_key: Type.String() }),
    sql`
      select storage_key from uploads.files where tenant_id = ${tenant_id} and id = ${id}
      union all
      select storage_key from uploads.derivatives
      where tenant_id = ${tenant_id} and file_id = ${id}`,
  )
  for (const { storage_key } of keys) await objects.delete(storage_key)
  await db.tx(async tx => {
    const released = await tx.maybe(
      Type.Object({ bytes: Size }),
      sql`
        update uploads.files f
        set reserved_bytes = 0, retention_until = null
        from (select reserved_bytes from uploads.files
          where tenant_id = ${tenant_id} and id = ${id} for update) before
        where f.tenant_id = ${tenant_id} and f.id = ${id} and f.retention_until is not null
        returning before.reserved_bytes as bytes`,
    )
    if (released) await releaseBytes(tx, tenant_id, released.bytes)
    await tx.run(sql`
      update uploads.derivatives set state = 'deleted'
      where tenant_id = ${tenant_id} and file_id = ${id}`)
  })
}
