/**
 * Marks a bookmark as stale when it becomes due. The row is the queue: a change makes it due later,
 * and a deletion never, also while an attempt runs.
 */
import { Type } from 'typebox'
import { done, dueQueue, Id, sql, type DueQueue, type Sql } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'

/** The time at which a bookmark becomes stale that is changed now. */
export const staleAt = (settings: Kernel['settings']): Sql =>
  sql`kernel.now() + make_interval(days => ${settings['bookmarks.stale_days']}::int)`

/** A bookmark that is due at another time. An attempt that runs loses its lease. */
export const renewed = (due_at: Sql) => ({
  due_at,
  attempts: sql`0`,
  lease_token: sql`null`,
  leased_until: sql`null`,
  last_error_code: sql`null`,
})

export function staleQueue(): DueQueue {
  return dueQueue({
    name: 'bookmarks.stale',
    table: 'bookmarks.bookmarks',
    key: ['tenant_id', 'id'],
    row: Type.Object({ tenant_id: Id, id: Id }),
    batch: 100,
    concurrency: 4,
    lease_seconds: 10,
    retry: [1, 5, 30, 300],
    run: async () => done(),
    finish: async (tx, { tenant_id, id }) => {
      await tx.run(sql`
        update bookmarks.bookmarks set stale = true, version = version + 1
        where tenant_id = ${tenant_id} and id = ${id}`)
    },
  })
}
