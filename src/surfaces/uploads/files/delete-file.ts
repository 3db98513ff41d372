/**
 * Deletes a file. After this transaction its URLs no longer work. Its bytes are removed some days
 * later. An upload whose file was still processed never becomes available, so it ends as aborted.
 */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announceFile, announceUpload } from '../events.ts'
import { Purpose } from '../schemas.ts'
import type { FileKey } from './quarantine-file.ts'

const Deleted = Type.Object({
  tenant_id: Id,
  id: Id,
  upload_id: Id,
  purpose: Purpose,
  version: Type.Integer(),
})

/**
 * Deletes a file and returns false if it was already deleted. The bytes are kept for some days,
 * unless `at_once` is set.
 */
export async function deleteFile(
  tx: Tx,
  { settings }: Pick<Deps['kernel'], 'settings'>,
  { tenant_id, id }: FileKey,
  { at_once = false } = {},
): Promise<boolean> {
  const days = at_once ? 0 : settings['uploads.deleted_days']
  const file = await tx.maybe(
    Deleted,
    sql`
      update uploads.files
      set state = 'deleted', deleted_at = kernel.now(), stage = null, due_at = null,
        lease_token = null, leased_until = null, version = version + 1,
        retention_until = kernel.now() + make_interval(days => ${days}),
        filename = case when ${at_once} then null else filename end,
        metadata = case when ${at_once} then null else metadata end
      where tenant_id = ${tenant_id} and id = ${id} and state not in ('deleted', 'purged')
      returning tenant_id, id, upload_id, purpose, version`,
  )
  if (!file) return false
  announceFile(tx, 'file.deleted', file)
  const upload = await tx.maybe(
    Type.Object({ id: Id, version: Type.Integer() }),
    sql`
      update uploads.uploads
      set state = 'aborted', version = version + 1
      where tenant_id = ${tenant_id} and id = ${file.upload_id} and state = 'uploaded'
      returning id, version`,
  )
  if (upload) announceUpload(tx, 'upload.aborted', { tenant_id, ...upload })
  return true
}
