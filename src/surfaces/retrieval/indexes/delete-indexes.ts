/** Deletes the index tables of a tenant. Its rows go afterwards, and nothing else names the tables. */
import { Type } from 'typebox'
import { nullable, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { tableOf } from './index-versions.ts'

const Table = Type.Object({
  table_id: Type.String(),
  leftover_table_id: nullable(Type.String()),
  dropped: Type.Boolean(),
})

export async function deleteIndexes(
  { kernel: { db }, index }: Pick<Deps, 'kernel' | 'index'>,
  tenant_id: string,
): Promise<number> {
  const tables = await db.many(
    Table,
    sql`
      select table_id, leftover_table_id, state = 'dropped' as dropped
      from retrieval.index_versions
      where tenant_id = ${tenant_id}`,
  )
  // A process may have ended between the mark and the drop.
  for (const { table_id, leftover_table_id } of tables) {
    await index.drop(tableOf(table_id))
    if (leftover_table_id !== null) await index.drop(tableOf(leftover_table_id))
  }
  return tables.filter(one => !one.dropped).length
}
