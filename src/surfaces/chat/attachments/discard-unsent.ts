/** Deletes attachments that were never sent, with their files. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import type { Loop } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'

const Old = Type.Object({ tenant_id: Type.String(), file_id: nullable(Type.String()) })
const batch = 100

export function discardUnsent({ kernel, files }: Pick<Deps, 'kernel' | 'files'>): Loop {
  return {
    name: 'chat.unsent_attachments',
    every_ms: 60_000,
    run: async signal => {
      const some = () =>
        kernel.db.tx(async tx => {
          const old = await tx.many(
            Old,
            sql`
              -- any tenant: a sweep
              delete from chat.attachments
              where (tenant_id, id) in (
                select tenant_id, id from chat.attachments
                where message_id is null and expires_at < kernel.now()
                order by expires_at limit ${batch} for update skip locked)
              returning tenant_id, file_id`,
          )
          for (const { tenant_id, file_id } of old) {
            if (file_id) await files.remove(tx, { tenant_id, file_id })
          }
          return old.length
        })
      while ((await some()) === batch) signal.throwIfAborted()
    },
  }
}
