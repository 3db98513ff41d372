/**
 * The only access to PostgreSQL. `db.tx(fn)` is the only way to begin a transaction. BEGIN is sent
 * with the first statement. The buffered events, the outcome record and COMMIT are sent together.
 * So a keyed write costs the round trips of its own statements plus two. Using a transaction after
 * its end throws. Serialization failures and deadlocks are retried here, at most three times. This
 * is safe because the failed attempt committed nothing.
 */
import type { Static, TSchema } from 'typebox'
import pg from 'pg'
import { jitter, newId } from '../ids.ts'
import { countOf, type Answer } from './batch.ts'
import { connect } from './connect.ts'
import { brokenBy, isRetryable, SqlState, standbyIn } from './failures.ts'
import { checkRow } from './row-check.ts'
import { allowSilence, endWhenSilent } from './silence.ts'
import type {
  AfterCommit,
  AtCommit,
  AuditDraft,
  AuditFacts,
  BufferedEvent,
  EventDraft,
  Isolation,
  Origin,
} from './drafts.ts'
import { oneConnection, unchecked } from './one-connection.ts'
import { neverName, send } from './send.ts'
import { shareReads } from './shared-reads.ts'
import { compile, sql, type Sql } from './sql.ts'
import { TxState } from './tx-state.ts'
import { types } from './types.ts'

/** Reads rows. `one` requires exactly one row. Any other number of rows is a bug. */
export type Reader = {
  one<S extends TSchema>(row: S, statement: Sql): Promise<Static<S>>
  maybe<S extends TSchema>(row: S, statement: Sql): Promise<Static<S> | undefined>
  many<S extends TSchema>(row: S, statement: Sql): Promise<Static<S>[]>
}

export type Tx = Reader & {
  /** Runs a statement and returns how many rows it changed. */
  run(statement: Sql): Promise<number>
  /** Reads rows in portions of `portion`, through a cursor of this transaction. */
  stream<S extends TSchema>(
    row: S,
    statement: Sql,
    portion?: number,
  ): AsyncGenerator<Static<S>[], void>
  /**
   * Emits an event in this transaction and returns its id. The event exists only if the transaction
   * commits.
   */
  emit(event: EventDraft): string
  /** Returns the origin for events that a statement of this transaction writes by `kernel.emit`. */
  emitting(): Origin
  /** Writes an audit record in this transaction. */
  audit(action: string, target: string, facts?: AuditFacts): void
  /**
   * Adds a statement that is sent with COMMIT, after the handler's own statements and events. If it
   * fails, the transaction fails with the error that `refused` makes of the failure.
   */
  atCommit<S extends TSchema>(
    statement: Sql,
    outcome?: Partial<AtCommit<S>> & { refused?(error: unknown): unknown },
  ): void
  /**
   * Runs a part of this transaction that may fail alone: if the function throws and the caller goes
   * on, nothing of the part stays. Use only the given `tx` in it.
   */
  savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Lifts the time limits of statements and locks for this transaction, such as for one that reads
   * millions of rows.
   */
  unhurried(): Promise<void>
  /** After the commit, wakes all work that waits for this topic, in every process. */
  wake(topic: string): void
  /**
   * Runs in memory after the commit and must not throw. If it returns a promise, the caller of `tx`
   * waits for the promise. The connection is already released. So a reply can wait until other
   * processes know about the change.
   */
  afterCommit(run: AfterCommit): void
}

export type Db = Reader & {
  run(statement: Sql): Promise<number>
  tx<T>(work: (tx: Tx) => Promise<T>, options?: { isolation?: Isolation }): Promise<T>
  /** The number of connections: in total, idle, and requests that wait for one. */
  load(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export type DbOptions = {
  url: string
  pool: number
  /** Whether prepared statements get names on their connection. The default is true. */
  prepare?: boolean
  /** Whether a pooler in transaction mode stands before PostgreSQL. Then no reads are shared. */
  pooled?: boolean
  /** Milliseconds to wait for a free connection before the request is refused as overloaded. */
  wait_ms: number
  /** A connection without a reply for so long is ended; longer than the statement timeout. */
  silence_ms?: number
  /** No time limit holds for a statement: for commands of an operator. */
  unhurried?: boolean
  /**
   * On in development and tests: compares every row with its schema, and finds transactions that
   * wait for a second connection.
   */
  check_rows: boolean
  application_name: string
  /** Turns the buffered events and audit records into rows, right before COMMIT. */
  outbox(events: readonly BufferedEvent[], acts: readonly AuditDraft[]): Sql[]
  /** The origin of events that are written now. */
  origin?(): Origin
  /** Called when a commit with events is durable. It wakes the work that waits for events. */
  committed(): void
  /** Called when a commit that named topics is durable. */
  woken?(topics: ReadonlySet<string>): void
  waited(seconds: number): void
  lost(error: Error): void
}

const attempts_max = 4

export function openDb(options: DbOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.pool,
    connectionTimeoutMillis: options.wait_ms,
    idleTimeoutMillis: 60_000,
    application_name: options.application_name,
    keepAlive: true,
    types,
    pipeline: true,
  })
  // The pool listens for errors of idle connections only. A connection that breaks while it is used
  // must not end the process. So each connection has its own listener. The listener of the pool
  // does nothing, because it would report the same error again.
  pool.on('error', () => {})
  pool.on('connect', client => {
    if (options.prepare === false) neverName(client)
    if (options.unhurried) client.query('set statement_timeout = 0').catch(() => {})
    else if (options.silence_ms !== undefined) endWhenSilent(client, options.silence_ms)
    client.on('error', error => void (pool.ending || options.lost(error)))
  })

  const one = options.check_rows ? oneConnection() : unchecked
  const alone: Ask = statement => query(pool, options, statement)
  const read = options.pooled ? alone : shareReads(() => connect(pool, options))
  const reader = readerOn(options, statement => {
    one.check()
    return read(statement)
  })
  return {
    ...reader,
    run: async statement => {
      one.check()
      return countOf(await query(pool, options, statement))
    },
    tx: async (work, { isolation } = {}) => {
      one.check()
      for (let attempt = 1; ; attempt++) {
        try {
          return await attemptTx(pool, options, tx => one.hold(() => work(tx)), isolation)
        } catch (error) {
          if (attempt === attempts_max || !isRetryable(error)) throw error
          await new Promise(resolve => setTimeout(resolve, jitter() * 20 * 2 ** attempt))
        }
      }
    },
    load: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

type Ask = (statement: Sql) => Promise<Answer>

function readerOn(options: Pick<DbOptions, 'check_rows'>, ask: Ask): Reader {
  const rows = async <S extends TSchema>(row: S, statement: Sql): Promise<Static<S>[]> => {
    const result = await ask(statement)
    if (options.check_rows) for (const value of result.rows) checkRow(row, value, statement)
    return result.rows as Static<S>[]
  }
  return {
    one: async (row, statement) => {
      const found = await rows(row, statement)
      if (found.length !== 1) throw new Error(`expected one row, got ${found.length}`)
      return found[0] as Static<typeof row>
    },
    maybe: async (row, statement) => {
      const found = await rows(row, statement)
      if (found.length > 1) throw new Error(`expected at most one row, got ${found.length}`)
      return found[0]
    },
    many: rows,
  }
}

async function query(pool: pg.Pool, options: DbOptions, statement: Sql): Promise<Answer> {
  const client = await connect(pool, options)
  let broken: Error | undefined
  try {
    return await send(client, compile(statement))
  } catch (error) {
    broken = brokenBy(error)
    throw SqlState.from(error)
  } finally {
    client.release(broken)
  }
}

async function attemptTx<T>(
  pool: pg.Pool,
  options: DbOptions,
  work: (tx: Tx) => Promise<T>,
  isolation: Isolation | undefined,
): Promise<T> {
  const client = await connect(pool, options)
  const state = new TxState(client, isolation)
  const owed: Promise<void>[] = []
  let broken: Error | undefined
  let result: T
  try {
    result = await work(txOn(options, state))
    await state.commit(options.outbox(state.events, state.acts))
    if (state.emitting || state.events.length > 0) options.committed()
    if (state.topics.size > 0) options.woken?.(state.topics)
    for (const run of state.after) owed.push(Promise.resolve(run()))
  } catch (error) {
    broken = (await state.rollback(error)) ?? standbyIn(error)
    throw SqlState.from(error)
  } finally {
    state.ended = true
    if (state.unhurried) allowSilence(client, false)
    client.release(broken)
  }
  if (owed.length > 0) await Promise.all(owed)
  return result
}

function rowsTaker<S extends TSchema>(
  { check_rows }: Pick<DbOptions, 'check_rows'>,
  { row, answered }: AtCommit<S>,
  statement: Sql,
) {
  return ({ rows }: Answer) => {
    if (check_rows) for (const value of rows) checkRow(row, value, statement)
    answered(rows as Static<S>[])
  }
}

function txOn(options: DbOptions, state: TxState): Tx {
  const reader = readerOn(options, statement => state.ask(statement))
  return {
    ...reader,
    run: async statement => countOf(await state.ask(statement)),
    stream: async function* (row, statement, portion = 500) {
      // The name is unique, because several streams may be open and one may be left early.
      const cursor = state.newName('stream')
      await state.ask(sql`declare ${cursor} no scroll cursor for ${statement}`)
      const fetch = sql`fetch forward ${sql.count(portion)} from ${cursor}`
      let failed = false
      try {
        for (;;) {
          const rows = await reader.many(row, fetch)
          if (rows.length > 0) yield rows
          if (rows.length < portion) break
        }
      } catch (error) {
        failed = true
        throw error
      } finally {
        // After a failed statement the cursor cannot be closed. ROLLBACK closes it anyway.
        if (!failed) await state.ask(sql`close ${cursor}`)
      }
    },
    emit: event => {
      const id = event.id ?? newId()
      state.live().events.push({ ...event, id })
      return id
    },
    emitting: () => {
      state.live().emitting = true
      return options.origin?.() ?? { traceparent: null, written_by: null }
    },
    audit: (action, target, facts) => void state.live().acts.push({ ...facts, action, target }),
    atCommit: (statement, { row, answered, refused } = {}) => {
      const known = answered && row ? rowsTaker(options, { row, answered }, statement) : undefined
      state.live().last.push({ statement, answered: known, refused })
    },
    wake: topic => void state.live().topics.add(topic),
    afterCommit: run => void state.live().after.push(run),
    savepoint: part => state.live().savepoint(inner => part(txOn(options, inner))),
    unhurried: () => state.liftLimits(),
  }
}
