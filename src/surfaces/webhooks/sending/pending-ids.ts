/**
 * The range of event ids whose deliveries may be pending. The range is passed as values, so that
 * PostgreSQL plans only the partitions of those weeks. Planning a claim over all partitions takes
 * longer than running it.
 */
import { newId, sql, type Sql } from '#dodeca/kernel'

/**
 * Older events are not sent, because bodies are kept for a month and their partitions a little
 * longer.
 */
export const oldest_days = 38
/** Clocks of other machines may be ahead. */
const ahead_days = 1
const day_ms = 86_400_000

type IdRange = { readonly from: string; readonly to: string }

export function pendingIds(): IdRange {
  // The time in an id is the machine's time. The clock of the development profile does not change
  // it.
  const now_ms = Number.parseInt(newId().replace('-', '').slice(0, 12), 16)
  return {
    from: firstIdOf(now_ms - oldest_days * day_ms),
    to: firstIdOf(now_ms + ahead_days * day_ms),
  }
}

/** The condition for a delivery `d`. */
export function isPending(): Sql {
  const { from, to } = pendingIds()
  return sql`d.state = 'pending' and d.event_id >= ${from} and d.event_id < ${to}`
}

function firstIdOf(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
