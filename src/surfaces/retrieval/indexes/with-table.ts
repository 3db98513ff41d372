/**
 * Uses the table of an index version and takes no writer's lease. A purge may move the live rows to
 * a table with a new name at any moment. Then the name is read again, once.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { IndexFailed } from '../engines/index.ts'
import { tableOf, type IndexVersion } from './index-versions.ts'

type Place = Pick<IndexVersion, 'tenant_id' | 'collection_id' | 'version' | 'table_id'>
const Named = Type.Object({ table_id: Type.String() })

/** Undefined if there is no such table: nothing was written yet, or the version is dropped. */
export async function withTable<T>(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  { tenant_id, collection_id, version, table_id }: Place,
  use: (table: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await use(tableOf(table_id))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const now = await db.maybe(
    Named,
    sql`
      select table_id from retrieval.index_versions
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and version = ${version} and state <> 'dropped'`,
  )
  if (!now) return undefined
  try {
    return await use(tableOf(now.table_id))
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof IndexFailed && error.code === 'table_missing'
}
