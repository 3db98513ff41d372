/** Sends a file through all stages again. An available file stays available meanwhile. */
import { Type } from 'typebox'
import { dueNow, Id, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { FileKey } from './quarantine-file.ts'

export async function rescanFile(tx: Tx, { tenant_id, id }: FileKey): Promise<void> {
  const found = await tx.maybe(
    Type.Object({ id: Id }),
    sql`
      update uploads.files
      set stage = 'detect', ${dueNow()}
      where tenant_id = ${tenant_id} and id = ${id}
        and state in ('uploaded', 'available', 'quarantined')
      returning id`,
  )
  if (!found) throw problem('file_not_found')
  tx.wake('uploads.process')
}
