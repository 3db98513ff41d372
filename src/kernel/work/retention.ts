/**
 * Deletes old rows, as surfaces declare it: rows in batches, so that no statement takes long, and
 * partitions as a whole. A deletion that emits an event is not retention but a use case.
 */
import type { Db } from '../database/db.ts'
import { logFailure } from '../database/log-failure.ts'
import { sql, type Sql } from '../database/sql.ts'
import type { Log } from '../observability/log.ts'
import type { Loop } from './loop.ts'

type Needs = { readonly db: Pick<Db, 'run'>; readonly log: Log }

export type Retention =
  | {
      readonly table: string
      /** Columns of the primary key. */
      readonly key: readonly string[]
      /** Which rows are deleted, as a condition on the table `t`. An index should find them. */
      readonly where: Sql
      readonly batch?: number
      readonly every_seconds?: number
    }
  | {
      /** A table that is partitioned by time (`kernel.keep_parts`). */
      readonly partitions: string
      readonly unit: 'day' | 'week' | 'month'
      readonly keep_days: number
      readonly ahead_days?: number
      readonly every_seconds?: number
    }
  /** The surface's own statement that creates and drops its partitions. */
  | { readonly statement: Sql; readonly every_seconds?: number }

const batch_usual = 1000
const every_seconds_usual = 600
const look_ms = 10_000

export function retentionLoop(kernel: Needs, declared: readonly Retention[]): Loop {
  const next = declared.map(retention => ({ retention, at_ms: 0 }))
  return {
    name: 'kernel.retention',
    every_ms: look_ms,
    run: async signal => {
      for (const one of next) {
        if (signal.aborted || performance.now() < one.at_ms) continue
        one.at_ms = performance.now() + (one.retention.every_seconds ?? every_seconds_usual) * 1000
        await retain(kernel, [one.retention], signal)
      }
    },
  }
}

/** If one rule fails, the others still run. */
export async function retain(
  { db, log }: Needs,
  declared: readonly Retention[],
  signal: AbortSignal,
): Promise<void> {
  for (const one of declared) {
    try {
      const batch = 'batch' in one ? (one.batch ?? batch_usual) : batch_usual
      while (!signal.aborted && (await db.run(statementOf(one, batch))) === batch);
    } catch (error) {
      if (signal.aborted) return
      logFailure(log, { err: error, of: nameOf(one) }, 'old rows could not be deleted', 'error')
    }
  }
}

function nameOf(one: Retention): string | null {
  if ('table' in one) return one.table
  return 'partitions' in one ? one.partitions : null
}

function statementOf(one: Retention, batch: number): Sql {
  if ('statement' in one) return one.statement
  if ('partitions' in one) {
    const { partitions, unit, keep_days, ahead_days = 35 } = one
    return sql`
      select kernel.keep_parts(${partitions}::regclass, ${unit},
        make_interval(days => ${keep_days}::int), make_interval(days => ${ahead_days}::int))`
  }
  const table = sql.id(...one.table.split('.'))
  const keys = sql.join(
    one.key.map(name => sql`t.${sql.id(name)}`),
    ', ',
  )
  // The reason is set before the first row is deleted: a table without it refuses the deletion.
  return sql`
    with allowed as materialized (select kernel.allow_change('retention')::text)
    delete from ${table} t where (${keys}) in (
      select ${keys} from allowed, ${table} t where ${one.where} limit ${batch}
      for update of t skip locked)`
}
