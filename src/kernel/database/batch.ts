/**
 * Sends statements together: one write, one Sync message at the end, and one packet of results. The
 * driver would send a Sync after each statement. The columns of a statement are requested when a
 * connection runs it for the first time, and are then cached with the connection. If they change
 * later, PostgreSQL reports an error. A pooler hides that error, so a migration must not change the
 * type of a column that running processes read.
 *
 * If a statement fails, PostgreSQL skips those after it. So statements share a batch only if they
 * belong to one transaction.
 */
import pg from 'pg'
import utils from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'
import type { Statement } from './sql.ts'
import { types } from './types.ts'

export type Answer = {
  readonly rows: readonly Record<string, unknown>[]
  /** What the statement did, as PostgreSQL says it: `INSERT 0 1`, `COMMIT`. */
  readonly tag: string
}

/** How many rows the statement changed or returned. */
export function countOf({ tag }: Answer): number {
  return Number(/\d+$/.exec(tag)?.[0] ?? 0)
}

/** The columns that a statement returns, with a parser for each. */
type Columns = {
  readonly list: readonly { readonly name: string; parse(text: string): unknown }[]
  readonly empty: Record<string, unknown>
}

type Waiting = {
  readonly name: string
  readonly text: string
  readonly values: (string | Buffer | null)[]
  readonly rows: Record<string, unknown>[]
  columns: Columns | undefined
  tag: string
  broken: unknown
  resolve(answer: Answer): void
  reject(reason: unknown): void
}

/** The parts of the driver's connection that are used here. */
type Connection = {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void }
  readonly parsedStatements: Record<string, string | undefined>
  readonly submittedNamedStatements: Record<string, string | undefined>
}

type Fields = readonly { readonly name: string; readonly dataTypeID: number }[]

// In pipeline mode the driver accepts only instances of its own class.
const DriverQuery = pg.Query as unknown as new (text: string) => { name: string; text: string }

const no_columns: Columns = { list: [], empty: {} }
const known_columns = new WeakMap<Connection, Map<string, Columns>>()

export class Batch extends DriverQuery {
  private readonly waiting: Waiting[] = []
  private at = 0
  private known = new Map<string, Columns>()

  constructor() {
    super('')
  }

  /** `named` is false if the connection cannot keep statements. */
  add(statement: Statement, named: boolean): Promise<Answer> {
    const { text } = statement
    const name = named ? statement.name : ''
    // A value that cannot be sent throws here, before anything is sent.
    const values = statement.values.map(value => utils.prepareValue(value))
    return new Promise((resolve, reject) => {
      const found = { rows: [], columns: undefined, tag: '', broken: undefined }
      this.waiting.push({ name, text, values, ...found, resolve, reject })
    })
  }

  /** Called by the driver, as are the functions below. */
  submit(connection: Connection): void {
    this.known = columnsOf(connection)
    const messages: Buffer[] = []
    for (const one of this.waiting) {
      const { name, text, values } = one
      if (!isParsed(connection, name)) {
        messages.push(serialize.parse({ name, text }))
        if (name) connection.submittedNamedStatements[name] = text
      }
      messages.push(serialize.bind({ statement: name, values }))
      one.columns = this.known.get(name)
      if (!one.columns) messages.push(serialize.describe({ type: 'P' }))
      messages.push(serialize.execute())
    }
    messages.push(serialize.sync())
    // A broken connection rejects its statements when it ends.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages))
    this.nameCurrent()
  }

  handleRowDescription({ fields }: { fields: Fields }): void {
    const one = this.waiting[this.at]
    if (one) one.columns = columnsFrom(fields)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const one = this.waiting[this.at]
    if (!one?.columns || one.broken) return
    try {
      one.rows.push(rowOf(one.columns, fields))
    } catch (error) {
      one.broken = error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const one = this.waiting[this.at]
    if (!one) return
    one.tag = text
    one.columns ??= no_columns
    if (one.name) this.known.set(one.name, one.columns)
    this.at++
    this.nameCurrent()
  }

  handleReadyForQuery(): void {
    for (const one of this.waiting) settle(one)
  }

  handleError(error: unknown, connection: Connection): void {
    // Outside a transaction, a statement is committed after its CommandComplete message. That
    // commit can fail too.
    const failed = Math.min(this.at, this.waiting.length - 1)
    this.waiting.forEach((one, index) => {
      if (index < failed) return settle(one)
      if (index === failed) return one.reject(error)
      delete connection.submittedNamedStatements[one.name]
      // PostgreSQL skipped it because of this error.
      one.reject(error)
    })
  }

  /** The driver stores under this name that PostgreSQL has prepared the statement. */
  private nameCurrent(): void {
    const one = this.waiting[this.at]
    this.name = one?.name ?? ''
    this.text = one?.text ?? ''
  }
}

function settle(one: Waiting): void {
  if (one.broken) one.reject(one.broken)
  else one.resolve({ rows: one.rows, tag: one.tag })
}

function isParsed(connection: Connection, name: string): boolean {
  if (!name) return false
  const { parsedStatements, submittedNamedStatements } = connection
  return parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined
}

function columnsOf(connection: Connection): Map<string, Columns> {
  let known = known_columns.get(connection)
  if (!known) {
    known = new Map()
    known_columns.set(connection, known)
  }
  return known
}

function columnsFrom(fields: Fields): Columns {
  return {
    list: fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID),
    })),
    empty: Object.fromEntries(fields.map(field => [field.name, null])),
  }
}

function rowOf(columns: Columns, fields: readonly (string | null)[]): Record<string, unknown> {
  const row = { ...columns.empty }
  fields.forEach((text, index) => {
    const column = columns.list[index]
    if (text !== null && column) row[column.name] = column.parse(text)
  })
  return row
}
