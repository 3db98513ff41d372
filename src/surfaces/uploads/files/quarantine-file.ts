/**
 * Moves a file into quarantine, so that it cannot be read. Its upload changes in the same
 * transaction, and its bytes are removed later.
 */
import { Type, type Static } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { FileErrorCode } from '../errors.ts'
import { announceFile, announceUpload } from '../events.ts'
import { Purpose } from '../schemas.ts'

const Quarantined = Type.Object({
  tenant_id: Id,
  id: Id,
  upload_id: Id,
  purpose: Purpose,
  version: Type.Integer(),
})

export type FileKey = { readonly tenant_id: string; readonly id: string }

/** Returns false if the file is already in quarantine or deleted. */
export async function quarantineFile(
  tx: Tx,
  { settings }: Pick<Deps['kernel'], 'settings'>,
  { tenant_id, id }: FileKey,
  error_code: FileErrorCode,
): Promise<boolean> {
  const days = settings['uploads.quarantine_days']
  const file: Static<typeof Quarantined> | undefined = await tx.maybe(
    Quarantined,
    sql`
      update uploads.files
      set state = 'quarantined', error_code = ${error_code}, stage = null, due_at = null,
        lease_token = null, leased_until = null, version = version + 1,
        retention_until = kernel.now() + make_interval(days => ${days})
      where tenant_id = ${tenant_id} and id = ${id} and state in ('uploaded', 'available')
      returning tenant_id, id, upload_id, purpose, version`,
  )
  if (!file) return false
  // A later rescan begins them again.
  await tx.run(sql`
    update uploads.derivatives set state = 'failed'
    where tenant_id = ${tenant_id} and file_id = ${id} and state = 'pending'`)
  announceFile(tx, 'file.quarantined', file, { upload_id: file.upload_id, error_code })
  const upload = await tx.maybe(
    Type.Object({ id: Id, version: Type.Integer() }),
    sql`
      update uploads.uploads
      set state = 'quarantined', error_code = ${error_code}, version = version + 1
      where tenant_id = ${tenant_id} and id = ${file.upload_id} and state = 'uploaded'
      returning id, version`,
  )
  if (upload) announceUpload(tx, 'upload.rejected', { tenant_id, ...upload }, { error_code })
  return true
}
