/**
 * Deletes changes after an hour. A process never uses its cache for so long without reading the
 * changes. A transaction may stay open for a long time before its change is visible, so the time of
 * the row is not a safe limit. A change is deleted if its transaction is older than the oldest
 * transaction that was open an hour ago.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

const kept_ms = 3_600_000

const Oldest = Type.Object({ xmin: Type.String() })

export function openForgetting({ db }: Pick<Kernel, 'db'>): () => Promise<void> {
  const marks: { at_ms: number; xmin: string }[] = []
  return async () => {
    const now_ms = performance.now()
    const { xmin } = await db.one(
      Oldest,
      sql`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`,
    )
    marks.push({ at_ms: now_ms, xmin })
    let over: string | null = null
    while (marks[0] && now_ms - marks[0].at_ms >= kept_ms) over = marks.shift()?.xmin ?? null
    if (over !== null) {
      await db.run(sql`delete from links.link_changes where xid < ${over}::xid8`)
    }
    // The clicks of these processes ended with them.
    await db.run(sql`
      delete from links.redirect_nodes
      where not has_spool and leased_until < now() - interval '1 hour'`)
  }
}
