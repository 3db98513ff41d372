/**
 * Errors of PostgreSQL, by SQLSTATE and constraint name. A surface maps a violated constraint to
 * its own problem beside the statement. All other errors are mapped here and in the HTTP layer.
 */
import pg from 'pg'

/** No connection became free in time. The caller should retry later. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy'
  constructor(options?: ErrorOptions) {
    super('no database connection became free in time', options)
  }
}

export class SqlState extends Error {
  override readonly name = 'SqlState'
  readonly code: string
  readonly constraint: string | undefined
  /** Written by PostgreSQL or by our own functions; it may contain values of the row. */
  readonly detail: string | undefined

  constructor(error: pg.DatabaseError) {
    super(error.message, { cause: error })
    this.code = error.code ?? 'XX000'
    this.constraint = error.constraint
    this.detail = error.detail
  }

  static from(error: unknown): unknown {
    return error instanceof pg.DatabaseError ? new SqlState(error) : error
  }
}

/** The transaction cannot write, because the server is a standby. */
const read_only = '25006'

/**
 * Returns the error if the connection cannot be used again: it broke, the server ended it (FATAL),
 * or the server is a standby. Such a connection must not go back to the pool.
 */
export function brokenBy(error: unknown): Error | undefined {
  const may_stay = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
  if (may_stay) return standbyIn(error)
  return error instanceof Error ? error : new Error('the connection broke', { cause: error })
}

/**
 * Returns the error if it says that the server is a standby. In a fail-over an address may lead to
 * one for a moment, and a connection that is always in use would stay there.
 */
export function standbyIn(error: unknown): Error | undefined {
  const said = error instanceof pg.DatabaseError || error instanceof SqlState
  return said && error.code === read_only ? error : undefined
}

/** Returns true if the error is a violation of the constraint with that name. */
export function violates(error: unknown, constraint: string): error is SqlState {
  return error instanceof SqlState && error.constraint === constraint
}

/** Thrown in a transaction that must begin again, for example because it needs other locks. */
export class BeginAgain extends Error {
  override readonly name = 'BeginAgain'
  constructor() {
    super('the transaction must begin again')
  }
}

/** Serialization failure or deadlock: nothing was committed, so the work may run again. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof BeginAgain) return true
  return error instanceof SqlState && (error.code === '40001' || error.code === '40P01')
}

/** Errors of a connection: nothing listens, it broke, or no packet arrives. */
const unreachable = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ENOENT EHOSTUNREACH ENETUNREACH ETIMEDOUT EAI_AGAIN'.split(' '),
)

/**
 * The database is unavailable for now: it is shutting down, starting, out of connections, gone, too
 * slow, or a standby.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseBusy || isRetryable(error)) return true
  if (error instanceof SqlState)
    return /^(57P0[1-5]|57014|55P03|53...|08...|25006)$/.test(error.code)
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException
  // An error about a file names its path; a missing socket of PostgreSQL has an address.
  if (code && path === undefined && unreachable.has(code)) return true
  return error instanceof Error && /^(Connection terminated|Client has)/.test(error.message)
}
