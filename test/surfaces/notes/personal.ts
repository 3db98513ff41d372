/** The notes of a person: handed out, or erased in portions. */
import { sql } from '../../../src/kernel/database/sql.ts'
import { rowsById, type Personal } from '../../../src/kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { Note } from './schemas.ts'

const portion = 100

export function personalNotes({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  return {
    export: async function* ({ principal_ids }) {
      const written = (after: string | null) =>
        db.many(
          Note,
          sql`
            -- any tenant: what one person wrote
            select id, title, labels, kind, version, created_at from notes.notes
            where owner_id = any(${principal_ids}::uuid[]) and (${after}::uuid is null or id > ${after}::uuid)
            order by id limit ${portion}`,
        )
      for await (const data of rowsById(portion, written)) yield { kind: 'note', data }
    },
    erase: async ({ principal_ids }, signal) => {
      const some = () =>
        db.run(sql`
          -- any tenant: what one person wrote
          delete from notes.notes where (tenant_id, id) in (
            select tenant_id, id from notes.notes where owner_id = any(${principal_ids}::uuid[])
            limit ${portion})`)
      while ((await some()) === portion) signal.throwIfAborted()
    },
  }
}
