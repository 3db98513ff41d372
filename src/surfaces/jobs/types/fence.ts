/**
 * The pause fence. A claim shares the lock of its type, and only then looks at the pause, in a statement
 * of its own with a fresh snapshot; a pause commits first and then takes the lock alone, once. So when a
 * pause is answered, every claim that could not see it has ended.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'

const Open = Type.Object({ open: Type.Boolean() })

/** False while the type is paused; the caller's transaction holds the fence until it ends. */
export async function passFence(tx: Tx, type: string): Promise<boolean> {
  const [, { open }] = await Promise.all([
    tx.run(sql`select pg_advisory_xact_lock_shared(hashtext('jobs.type'), hashtext(${type}))`),
    tx.one(
      Open,
      sql`
      select not exists (
        select from jobs.job_types t
        where t.type = ${type} and t.paused_at is not null
          and (t.paused_until is null or t.paused_until > kernel.now())) as open`,
    ),
  ])
  return open
}

/** Returns when every claim that began before has ended. */
export async function closeFence(tx: Tx, type: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('jobs.type'), hashtext(${type}))`)
}
