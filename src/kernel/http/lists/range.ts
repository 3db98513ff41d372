/**
 * The rows of a range of time. A new id begins with its time, so where an id and its row share a
 * commit, the index of the list finds the range: ids within an hour of it, and `created_at` decides.
 * In development /dev/clock moves `created_at` and not the ids, so the ids do not count there.
 */
import { sql, type Sql } from '../../database/sql.ts'
import { problem } from '../../errors/problem.ts'

const hour_ms = 3_600_000

/**
 * `id`: ids begin with the time of their row. `column`: an index finds `created_at`. Otherwise the
 * column that is meant, and the column whose ids begin with that time (partitions may divide the
 * table by it), or null if an index finds it.
 */
export type Time = 'id' | 'column' | Columns

type Columns = { readonly column: string; readonly ids: string | null }

export function timeOf(time: Time | undefined): Columns {
  if (typeof time === 'object') return time
  return { column: 'created_at', ids: time === 'id' ? 'id' : null }
}

export type Range = { readonly since?: string | undefined; readonly until?: string | undefined }

export function inRange(time: Time, { since, until }: Range, moved: boolean): Sql | null {
  if (since === undefined && until === undefined) return null
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until)) {
    throw problem('validation_failed', {
      detail: '`since` must be before `until`.',
      errors: [{ location: 'query', pointer: '/until', constraint: 'order' }],
    })
  }
  const { column, ids } = timeOf(time)
  const at = sql`t.${sql.id(column)}`
  const id = ids === null || moved ? null : sql`t.${sql.id(ids)}`
  const conditions = [
    ...(since === undefined ? [] : [sql`${at} >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`${at} < ${until}::timestamptz`]),
    ...(id && since !== undefined ? [sql`${id} >= ${idAt(since, -hour_ms)}::uuid`] : []),
    ...(id && until !== undefined ? [sql`${id} <= ${idAt(until, hour_ms)}::uuid`] : []),
  ]
  return sql.join(conditions, ' and ')
}

/** The partitions that can have rows up to this id. */
export function upTo(time: Time | undefined, id: string): Sql | null {
  const { ids } = timeOf(time)
  if (ids === null || ids === 'id') return null
  const next = (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + 1).toString(16)
  return sql`t.${sql.id(ids)} < ${idOf(next)}::uuid`
}

const id_bits_max = 2 ** 48 - 1

/** The first possible id of a moment. */
function idAt(time: string, shift_ms: number): string {
  const ms = Math.min(Math.max(Date.parse(time) + shift_ms, 0), id_bits_max)
  return idOf(ms.toString(16))
}

function idOf(ms_hex: string): string {
  const digits = ms_hex.padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
