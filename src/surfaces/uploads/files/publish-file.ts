/** Makes a file available. Only this code makes a file safe to read. */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import { announceFile } from '../events.ts'
import { Purpose, Size } from '../schemas.ts'
import type { FileKey } from './quarantine-file.ts'

const Published = Type.Object({
  tenant_id: Id,
  id: Id,
  upload_id: Id,
  purpose: Purpose,
  version: Type.Integer(),
  size: Size,
  detected_type: nullable(Type.String()),
  was_available: Type.Boolean(),
  derivatives: Type.Array(Type.String()),
})

export async function publishFile(tx: Tx, { tenant_id, id }: FileKey): Promise<void> {
  const file = await tx.one(
    Published,
    sql`
      with before as (
        select state from uploads.files where tenant_id = ${tenant_id} and id = ${id}
      )
      update uploads.files f
      set state = 'available', error_code = null, stage = null, retention_until = null,
        available_at = coalesce(f.available_at, kernel.now()),
        version = f.version + case when before.state = 'available' then 0 else 1 end
      from before
      where f.tenant_id = ${tenant_id} and f.id = ${id}
        and f.state in ('uploaded', 'available', 'quarantined')
      returning f.tenant_id, f.id, f.upload_id, f.purpose, f.version, f.size, f.detected_type,
        before.state = 'available' as was_available,
        array(select d.kind from uploads.derivatives d
          where d.tenant_id = ${tenant_id} and d.file_id = ${id} and d.state = 'ready'
          order by d.kind) as derivatives`,
  )
  if (file.was_available) return
  const { upload_id, detected_type, size, derivatives } = file
  announceFile(tx, 'file.available', file, { upload_id, detected_type, size, derivatives })
  await tx.run(sql`
    update uploads.uploads
    set state = 'available', error_code = null, version = version + 1
    where tenant_id = ${tenant_id} and id = ${upload_id} and state in ('uploaded', 'quarantined')`)
}
