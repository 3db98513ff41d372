/**
 * Aborts an upload. After this transaction its URLs no longer work. Its parts are removed right
 * after the transaction.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { announceUpload } from '../events.ts'
import { findUpload, type Caller, type UploadRow } from './upload-row.ts'

/** Repeating it succeeds as long as the row exists. */
export async function abortUpload(tx: Tx, caller: Caller, upload_id: string): Promise<void> {
  const upload = await findUpload(tx, caller, upload_id, 'uploads.uploads.abort_any')
  if (upload.state === 'aborted' || upload.state === 'expired') return
  if (await endUpload(tx, upload)) return
  const now = await findUpload(tx, caller, upload_id, 'uploads.uploads.abort_any')
  if (now.state === 'aborted') return
  throw now.verifying
    ? problem('completion_in_progress', { retry_after: 1 })
    : problem('invalid_transition', {
        current_state: now.state,
        detail: 'The upload has been completed. Delete its file instead.',
      })
}

export async function endUpload(
  tx: Tx,
  { tenant_id, id }: Pick<UploadRow, 'tenant_id' | 'id'>,
): Promise<boolean> {
  const ended = await tx.maybe(
    Type.Object({ version: Type.Integer() }),
    sql`
      update uploads.uploads
      set state = 'aborted', version = version + 1, retention_until = kernel.now()
      where tenant_id = ${tenant_id} and id = ${id} and state = 'initiated' and due_at is null
      returning version`,
  )
  if (!ended) return false
  announceUpload(tx, 'upload.aborted', { tenant_id, id, version: ended.version })
  tx.wake('uploads.sweep')
  return true
}
