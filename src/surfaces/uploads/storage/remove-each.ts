/**
 * Removes what remains of rows, one after another. A row whose bytes cannot be removed is tried again
 * an hour later, so that it does not stay before all others. In a store that is not the own one
 * nothing is removed: the bytes would stay in the own one, and no row would name them.
 */
import { sql, StoreUnavailable, type Sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { OwnStore } from './own-store.ts'

type Row = { readonly tenant_id: string; readonly id: string }

const put_off_seconds = 3600

/** Returns the number of rows that were handled. While the store is away, none is put off. */
export async function removeEach<R extends Row>(
  { db, log }: Pick<Kernel, 'db' | 'log'>,
  store: OwnStore,
  table: 'files' | 'uploads',
  rows: readonly R[],
  remove: (row: R) => Promise<void>,
): Promise<number> {
  if (rows.length > 0) await store.require()
  for (const row of rows) {
    try {
      await remove(row)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const { tenant_id, id } = row
      log.error({ err: error, table, id }, 'stored bytes could not be removed')
      await db.run(sql`
        update ${names[table]}
        set retention_until = kernel.now() + make_interval(secs => ${put_off_seconds})
        where tenant_id = ${tenant_id} and id = ${id} and retention_until is not null`)
    }
  }
  return rows.length
}

const names: Readonly<Record<'files' | 'uploads', Sql>> = {
  files: sql`uploads.files`,
  uploads: sql`uploads.uploads`,
}
