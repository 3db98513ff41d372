/**
 * How a change of a link reaches the processes that redirect from memory: one row a key, in the
 * transaction of the change.
 */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../../../kernel/surface.ts'

/** An empty code stands for the whole domain. */
export type ChangedKey = { readonly domain_id: string; readonly code: string }

export type Changes = {
  /** Writes the change down, and lets the answer wait until no process can redirect by what was before. */
  changed(tx: Tx, keys: readonly ChangedKey[], patience_ms?: number): Promise<void>
}

export function openChanges(_kernel: Kernel): Changes {
  return {
    changed: async (tx, keys) => {
      const domain_ids = keys.map(key => key.domain_id)
      const codes = keys.map(key => key.code)
      await tx.run(sql`
        insert into links.link_changes (domain_id, code)
        select * from unnest(${domain_ids}::uuid[], ${codes}::text[])`)
    },
  }
}
