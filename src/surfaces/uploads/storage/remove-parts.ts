/**
 * Removes what remains of uploads that have ended: parts in the spool or at the store, and the
 * object of an upload whose digest differed. The reference in the row is removed last. So if a
 * sweep is killed, the next one finds the upload again.
 */
import { Type, type Static } from 'typebox'
import { Id, sql, type Db } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { Size } from '../schemas.ts'
import type { OwnStore } from './own-store.ts'
import { releaseBytes } from './release.ts'
import { removeEach } from './remove-each.ts'

const portion = 100
const Ended = Type.Object({
  tenant_id: Id,
  id: Id,
  storage_key: Type.String(),
  multipart_upload_id: Type.String(),
  has_file: Type.Boolean(),
})
type Ended = Static<typeof Ended>

export async function removeParts(
  kernel: Pick<Kernel, 'db' | 'objects' | 'log'>,
  store: OwnStore,
): Promise<number> {
  const found = await kernel.db.many(
    Ended,
    sql`
      -- any tenant: a sweep
      select u.tenant_id, u.id, u.storage_key, u.multipart_upload_id,
        exists (select from uploads.files f
          where f.tenant_id = u.tenant_id and f.upload_id = u.id) as has_file
      from uploads.uploads u
      where u.multipart_upload_id is not null and u.state <> 'initiated'
        and u.retention_until <= kernel.now()
      order by u.retention_until
      limit ${portion}`,
  )
  return await removeEach(kernel, store, 'uploads', found, upload => removePartsOf(kernel, upload))
}

async function removePartsOf({ db, objects }: Pick<Kernel, 'db' | 'objects'>, upload: Ended) {
  const { tenant_id, id, storage_key: key, multipart_upload_id: reference, has_file } = upload
  await objects.multipart.abort({ key, reference })
  if (!has_file) await objects.delete(key)
  await db.tx(async tx => {
    const released = await tx.maybe(
      Type.Object({ bytes: Size }),
      sql`
        update uploads.uploads u
        set multipart_upload_id = null, reserved_bytes = 0
        from (select reserved_bytes from uploads.uploads
          where tenant_id = ${tenant_id} and id = ${id} for update) before
        where u.tenant_id = ${tenant_id} and u.id = ${id} and u.multipart_upload_id = ${reference}
        returning before.reserved_bytes as bytes`,
    )
    if (released) await releaseBytes(tx, tenant_id, released.bytes)
    await tx.run(sql`
      delete from uploads.upload_parts where tenant_id = ${tenant_id} and upload_id = ${id}`)
  })
}

/** Uploads that were not completed in time. */
export async function expireUploads(
  db: Db,
  announce: (tx: Parameters<Parameters<Db['tx']>[0]>[0], row: Expired) => void,
): Promise<number> {
  return await db.tx(async tx => {
    const expired = await tx.many(
      Expired,
      sql`
        -- any tenant: a sweep
        update uploads.uploads u
        set state = 'expired', version = u.version + 1, retention_until = kernel.now()
        from (select tenant_id, id from uploads.uploads
          where state = 'initiated' and expires_at <= kernel.now() and due_at is null
          order by expires_at limit ${portion} for update skip locked) due
        where u.tenant_id = due.tenant_id and u.id = due.id
        returning u.tenant_id, u.id, u.version`,
    )
    for (const row of expired) announce(tx, row)
    return expired.length
  })
}

const Expired = Type.Object({ tenant_id: Id, id: Id, version: Type.Integer() })
type Expired = Static<typeof Expired>
