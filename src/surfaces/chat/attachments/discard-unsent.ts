/**
 * Deletes attachments that were never sent, with their files. While the file is being uploaded, the
 * attachment stays: the upload expires by itself, and its file would have no attachment. The
 * conversations are locked first, as when a message takes an attachment: a message that is being
 * sent keeps its file.
 */
import { Type } from 'typebox'
import { nullable, sql, type Loop, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const Old = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  conversation_id: Type.String(),
})
const Gone = Type.Object({ tenant_id: Type.String(), file_id: nullable(Type.String()) })
const batch = 100

export function discardUnsent({ kernel, files }: Pick<Deps, 'kernel' | 'files'>): Loop {
  return {
    name: 'chat.unsent_attachments',
    every_ms: 60_000,
    run: async signal => {
      while ((await kernel.db.tx(tx => discardSome(tx, { files }))) === batch) {
        signal.throwIfAborted()
      }
    },
  }
}

/** Returns how many it looked at. */
async function discardSome(tx: Tx, { files }: Pick<Deps, 'files'>): Promise<number> {
  const old = await tx.many(
    Old,
    sql`
      -- any tenant: a sweep
      select tenant_id, id, conversation_id from chat.attachments
      where message_id is null and expires_at < kernel.now() and state <> 'pending'
      order by expires_at limit ${batch}`,
  )
  if (old.length === 0) return 0
  const asked = sql.table(old, { tenant_id: 'uuid', id: 'uuid', conversation_id: 'uuid' })
  await tx.run(sql`
    -- any tenant: a sweep
    select from chat.conversations c
    where (c.tenant_id, c.id) in (select o.tenant_id, o.conversation_id from ${asked} o)
    order by c.id for no key update`)
  const gone = await tx.many(
    Gone,
    sql`
      -- any tenant: a sweep
      delete from chat.attachments a
      using ${asked} o
      where a.tenant_id = o.tenant_id and a.id = o.id and a.message_id is null
      returning a.tenant_id, a.file_id`,
  )
  for (const { tenant_id, file_id } of gone) {
    if (file_id) await files.remove(tx, { tenant_id, file_id })
  }
  return old.length
}
