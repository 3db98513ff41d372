/**
 * Drops an index version. Its row changes only if its tables were dropped, so that after a crash
 * their names are still known. The lock keeps writers and purges from the tables meanwhile.
 */
import { Type } from 'typebox'
import { nullable, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { tableOf, type IndexVersion } from './index-versions.ts'

const Tables = Type.Object({
  table_id: Type.String(),
  leftover_table_id: nullable(Type.String()),
})

/** Does nothing if the version is in another state meanwhile. */
export async function dropVersion(
  { kernel: { db }, index }: Pick<Deps, 'kernel' | 'index'>,
  {
    tenant_id,
    collection_id,
    version,
  }: Pick<IndexVersion, 'tenant_id' | 'collection_id' | 'version'>,
  states: readonly IndexVersion['state'][],
): Promise<void> {
  await db.tx(async tx => {
    await tx.unhurried()
    const dropped = await tx.maybe(
      Tables,
      sql`
        update retrieval.index_versions set state = 'dropped'
        where tenant_id = ${tenant_id} and collection_id = ${collection_id}
          and version = ${version} and state = any(${states}::text[])
        returning table_id, leftover_table_id`,
    )
    if (!dropped) return
    await index.drop(tableOf(dropped.table_id))
    if (dropped.leftover_table_id !== null) await index.drop(tableOf(dropped.leftover_table_id))
  })
}
