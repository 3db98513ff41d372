/**
 * An account that is deleted takes its files along: open uploads are aborted, and files of all purposes
 * but product images lose their names and their bytes without the usual delay.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Consumer } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'
import { endUpload } from '../uploads/abort-upload.ts'
import { deleteFile } from './delete-file.ts'

const Owned = Type.Object({ tenant_id: Id, id: Id })

export function erasureConsumer(deps: Pick<Deps, 'kernel' | 'purposes'>): Consumer {
  return {
    name: 'uploads.erasure',
    events: ['account.deleted'],
    run: async (tx, { tenant_id, aggregate_id }) => {
      await eraseFilesOf(tx, deps, tenant_id, aggregate_id)
    },
  }
}

export async function eraseFilesOf(
  tx: Tx,
  { kernel, purposes }: Pick<Deps, 'kernel' | 'purposes'>,
  tenant_id: string,
  owner_id: string,
): Promise<void> {
  const erased = Object.entries(purposes).flatMap(([name, rules]) => (rules.erased ? [name] : []))
  const open = await tx.many(
    Owned,
    sql`
      update uploads.uploads set filename = null
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and purpose = any(${erased}::text[])
      returning tenant_id, id`,
  )
  for (const upload of open) await endUpload(tx, upload)
  const files = await tx.many(
    Owned,
    sql`
      update uploads.files
      set filename = null, metadata = null, retention_until = case
        when state in ('deleted', 'quarantined') then kernel.now() else retention_until end
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and purpose = any(${erased}::text[])
      returning tenant_id, id`,
  )
  for (const file of files) await deleteFile(tx, kernel, file, { at_once: true })
}
