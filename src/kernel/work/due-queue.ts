/**
 * A due queue: work that must happen and may fail, as rows of a surface's own table that become due.
 * The surface declares its queue as a value (`queues` of the contract) with three functions. The
 * kernel claims, retries, checks the lease and records the end (`run-queue.ts`). `dodeca queues` lists
 * the queues and makes dead rows due again.
 *
 * The table has these columns (or others, named in `columns`), and a partial index on `due_at`:
 *
 *   due_at timestamptz,                -- by kernel.now(); null: nothing to do
 *   attempts int not null default 0,   -- counted when claimed, so an attempt that crashes counts
 *   lease_token uuid, leased_until timestamptz,   -- by now()
 *   last_error_code text               -- with due_at null: the row is dead
 *
 * The transaction that makes a row due calls `tx.wake(<name of the queue>)`.
 */
import { type Static, type TObject, Type } from 'typebox'
import type { Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { jitter } from '../ids.ts'

/** The outcome of an attempt. `finish` receives `result`. */
export type Outcome<R = undefined> =
  | { readonly end: 'done'; readonly result: R }
  /** The attempt succeeded, and there is more to do. The count of attempts starts at zero again. */
  | { readonly end: 'again'; readonly after_seconds: number; readonly result?: R }
  /** Without `after_seconds` the retry schedule determines the time. */
  | {
      readonly end: 'retry'
      readonly code: string
      readonly after_seconds?: number
      /** False if the work was not tried, for example because a circuit breaker was open. */
      readonly counts: boolean
    }
  | { readonly end: 'dead'; readonly code: string }

export type Finished<R = undefined> = Exclude<Outcome<R>, { readonly end: 'dead' }>

export function done(): Outcome
export function done<R>(result: R): Outcome<R>
export function done(result?: unknown): Outcome<unknown> {
  return { end: 'done', result }
}

export const again = <R = undefined>(after_seconds: number, result?: R): Outcome<R> =>
  result === undefined
    ? { end: 'again', after_seconds }
    : { end: 'again', after_seconds, result: result as R & {} }

export const retry = (
  code: string,
  { after_seconds, counts = true }: { after_seconds?: number | undefined; counts?: boolean } = {},
): Outcome<never> => ({
  end: 'retry',
  code,
  counts,
  ...(after_seconds === undefined ? {} : { after_seconds }),
})

export const dead = (code: string): Outcome<never> => ({ end: 'dead', code })

/** Seconds before each retry, or a growing wait, by default with a jitter of one fifth. */
export type Retry =
  | readonly number[]
  | {
      readonly first: number
      readonly factor: number
      readonly cap: number
      readonly jitter?: number
    }

export type QueueColumns = {
  readonly due_at: string
  readonly attempts: string
  readonly lease_token: string
  readonly leased_until: string
  readonly last_error_code: string
  /** This column is read only if the queue has `age_max_seconds`. */
  readonly created_at: string
}

/** A claimed row: its key, the columns of `load`, and the number of this attempt (from 1). */
export type Claimed<S extends TObject> = Static<S> & { readonly attempt_no: number }

export type DueQueueSpec<S extends TObject, R> = {
  /** The name, as `<surface>.<noun>`. It is also the topic that wakes the queue. */
  readonly name: string
  /** The table with its schema. */
  readonly table: string
  /** Columns of the primary key. They are properties of `row`. */
  readonly key: readonly (keyof Static<S> & string)[]
  readonly columns?: Partial<QueueColumns>
  readonly row: S
  /** Further columns of `row`, from the table as `t`. The key is always read. */
  readonly load?: Sql
  /**
   * Which rows of `t` belong to the queue. The index on `due_at` should have the same condition.
   */
  readonly where?: Sql
  readonly batch: number
  readonly concurrency: number
  /**
   * The lease must be longer than one attempt takes: the attempt's signal is aborted when the lease
   * ends.
   */
  readonly lease_seconds: number
  readonly retry: Retry
  /**
   * The maximum number of attempts. Without it, a list of waits ends after its last wait, and a
   * growing wait never ends.
   */
  readonly attempts_max?: number
  readonly age_max_seconds?: number
  /**
   * Runs in the transaction of each claim. It returns false while an operator has paused the work.
   */
  fence?(tx: Tx): Promise<boolean>
  /** Runs the attempt, outside any transaction. Throwing means `retry('attempt_failed')`. */
  run(row: Claimed<S>, signal: AbortSignal): Promise<Outcome<R>>
  /**
   * Runs in the transaction that ends the attempt, while the lease is held. The kernel sets the
   * queue's own columns afterwards. `finish` may delete the row. It may also return another
   * outcome, which replaces the first one.
   */
  finish?(
    tx: Tx,
    row: Claimed<S>,
    outcome: Finished<R>,
  ): Promise<Outcome<R> | undefined> | Promise<void>
  /** The same as `finish`, for a row that will not be retried. */
  dead?(tx: Tx, row: Claimed<S>, code: string): Promise<void>
  /** Runs in the transaction in which an operator makes dead rows due again. */
  redriven?(tx: Tx, rows: readonly Static<S>[]): Promise<void>
}

/** A queue without its types. */
export type DueQueue = Omit<DueQueueSpec<TObject, unknown>, 'columns' | 'key'> & {
  readonly columns: QueueColumns
  readonly key: readonly string[]
}

const usual: QueueColumns = {
  due_at: 'due_at',
  attempts: 'attempts',
  lease_token: 'lease_token',
  leased_until: 'leased_until',
  last_error_code: 'last_error_code',
  created_at: 'created_at',
}

export function dueQueue<S extends TObject, R = undefined>(spec: DueQueueSpec<S, R>): DueQueue {
  return { ...spec, columns: { ...usual, ...spec.columns } }
}

/**
 * Makes a row due now and resets its attempts, even while an attempt runs. That attempt loses its
 * lease, and its result is dropped. For `insert … on conflict do update set` and for updates.
 */
export function dueNow(columns: Partial<QueueColumns> = {}): Sql {
  return dueAt(sql`kernel.now()`, columns)
}

/** Makes a row due at a later time, with the same effects. */
export function dueAt(at: Sql, columns: Partial<QueueColumns> = {}): Sql {
  const name = { ...usual, ...columns }
  return sql`
    ${sql.id(name.due_at)} = ${at}, ${sql.id(name.attempts)} = 0,
    ${sql.id(name.lease_token)} = null, ${sql.id(name.leased_until)} = null,
    ${sql.id(name.last_error_code)} = null`
}

/** Returns the seconds to wait after the n-th attempt, or undefined if it was the last. */
export function waitAfter(
  { retry: schedule, attempts_max }: Pick<DueQueue, 'retry' | 'attempts_max'>,
  attempt_no: number,
): number | undefined {
  if (attempt_no >= (attempts_max ?? Infinity)) return undefined
  if ('first' in schedule) {
    const { first, factor, cap, jitter: share = 0.2 } = schedule
    return spread(Math.min(cap, first * factor ** (attempt_no - 1)), share)
  }
  const wait = schedule[Math.min(attempt_no, attempts_max ? schedule.length : attempt_no) - 1]
  return wait === undefined ? undefined : spread(wait, 0.2)
}

/** Spreads the retries of rows that failed together. */
function spread(seconds: number, share: number): number {
  return seconds * (1 - share + 2 * share * jitter())
}

export function attemptsMax({ retry: schedule, attempts_max }: DueQueue): number {
  return attempts_max ?? ('first' in schedule ? Infinity : schedule.length + 1)
}

/** The columns that a claim returns. */
export function claimedRow(row: TObject): TObject {
  return Type.Object({
    ...row.properties,
    attempt_no: Type.Integer(),
    age_seconds: Type.Number(),
  })
}
