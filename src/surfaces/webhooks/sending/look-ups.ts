/**
 * For the rest of the transaction every statement is planned once, as look-ups through indexes. The planner
 * knows little of a table whose rows come and go in seconds, and a plan for these very values takes longer
 * to make (3 ms) than a claim takes to run (1 ms). Without sorting, what is to come in an order is read from
 * the index that has it: the planner would rather read all that an endpoint has waiting through the primary
 * key and sort that (a claim over a million that wait: 179 to 9 ms).
 */
import type { Static, TSchema } from 'typebox'
import type { Db, Tx } from '../../../kernel/database/db.ts'
import { sql, type Sql } from '../../../kernel/database/sql.ts'

export async function planLookUps(tx: Tx): Promise<void> {
  await tx.run(sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
      set_config('enable_incremental_sort', 'off', true)`)
}

/** One statement that is planned so. */
export async function lookUp<S extends TSchema>(
  db: Db,
  row: S,
  statement: Sql,
): Promise<Static<S>[]> {
  return await db.tx(async tx => {
    const [, rows] = await Promise.all([planLookUps(tx), tx.many(row, statement)])
    return rows
  })
}
