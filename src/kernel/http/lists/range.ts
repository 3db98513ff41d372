/**
 * The rows of a range of time. A new id begins with its time, so where an id and its row share a
 * commit, the index of the list finds the range: ids within an hour of it, and `created_at` decides.
 * In development /dev/clock moves `created_at` and not the ids, so the ids do not count there.
 */
import { sql, type Sql } from '../../database/sql.ts'
import { problem } from '../../errors/problem.ts'

const hour_ms = 3_600_000

/** `id`: ids begin with the time of their row. `column`: an index finds `created_at`. */
export type Time = 'id' | 'column'

export type Range = { readonly since?: string | undefined; readonly until?: string | undefined }

export function inRange(time: Time, { since, until }: Range, moved: boolean): Sql | null {
  if (since === undefined && until === undefined) return null
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until)) {
    throw problem('validation_failed', {
      detail: '`since` must be before `until`.',
      errors: [{ location: 'query', pointer: '/until', constraint: 'order' }],
    })
  }
  const bounds = time === 'id' && !moved
  const conditions = [
    ...(since === undefined ? [] : [sql`t.created_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`t.created_at < ${until}::timestamptz`]),
    ...(bounds && since !== undefined ? [sql`t.id >= ${idAt(since, -hour_ms)}::uuid`] : []),
    ...(bounds && until !== undefined ? [sql`t.id <= ${idAt(until, hour_ms)}::uuid`] : []),
  ]
  return sql.join(conditions, ' and ')
}

const id_bits_max = 2 ** 48 - 1

/** The first possible id of a moment. */
function idAt(time: string, shift_ms: number): string {
  const ms = Math.min(Math.max(Date.parse(time) + shift_ms, 0), id_bits_max)
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
