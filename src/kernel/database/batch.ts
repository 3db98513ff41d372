/**
 * Statements that are sent together and answered together: PostgreSQL is asked for its answer once,
 * at the end. What a statement returns (its columns and their types) is asked for once for each
 * connection and statement, and remembered with the connection. The driver would ask for it each
 * time, and would ask for an answer after each statement.
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

/** What a statement returns. The driver's parsers are looked up once. */
type Shape = {
  readonly columns: readonly { readonly name: string; parse(text: string): unknown }[]
  readonly empty: Record<string, unknown>
}

type Waiting = {
  readonly name: string
  readonly text: string
  readonly values: (string | Buffer | null)[]
  readonly rows: Record<string, unknown>[]
  shape: Shape | undefined
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

// The driver sends only its own class to a connection that gets statements before it has answered
// the earlier ones.
const DriverQuery = pg.Query as unknown as new (text: string) => { name: string; text: string }

const no_columns: Shape = { columns: [], empty: {} }
const shapes = new WeakMap<Connection, Map<string, Shape>>()

export class Batch extends DriverQuery {
  private readonly waiting: Waiting[] = []
  private at = 0
  private known = new Map<string, Shape>()

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
      const found = { rows: [], shape: undefined, tag: '', broken: undefined }
      this.waiting.push({ name, text, values, ...found, resolve, reject })
    })
  }

  /** Called by the driver, as are the functions below. */
  submit(connection: Connection): void {
    this.known = shapesOf(connection)
    const messages: Buffer[] = []
    for (const one of this.waiting) {
      const { name, text, values } = one
      if (!isParsed(connection, name)) {
        messages.push(serialize.parse({ name, text }))
        if (name) connection.submittedNamedStatements[name] = text
      }
      messages.push(serialize.bind({ statement: name, values }))
      one.shape = this.known.get(name)
      if (!one.shape) messages.push(serialize.describe({ type: 'P' }))
      messages.push(serialize.execute())
    }
    messages.push(serialize.sync())
    // A broken connection rejects its statements when it ends.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages))
    this.show()
  }

  handleRowDescription({ fields }: { fields: Fields }): void {
    const one = this.waiting[this.at]
    if (one) one.shape = shapeOf(fields)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const one = this.waiting[this.at]
    if (!one?.shape || one.broken) return
    try {
      one.rows.push(rowOf(one.shape, fields))
    } catch (error) {
      one.broken = error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const one = this.waiting[this.at]
    if (!one) return
    one.tag = text
    one.shape ??= no_columns
    if (one.name) this.known.set(one.name, one.shape)
    this.at++
    this.show()
  }

  handleReadyForQuery(): void {
    for (const one of this.waiting) settle(one)
  }

  handleError(error: unknown, connection: Connection): void {
    // A statement of its own is committed after it is complete, and that can fail as well.
    const failed = Math.min(this.at, this.waiting.length - 1)
    this.waiting.forEach((one, index) => {
      if (index < failed) return settle(one)
      if (index === failed) return one.reject(error)
      delete connection.submittedNamedStatements[one.name]
      // It was skipped, for the same reason.
      one.reject(error)
    })
  }

  /** The driver notes, under this name, that PostgreSQL has prepared the statement. */
  private show(): void {
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

function shapesOf(connection: Connection): Map<string, Shape> {
  let known = shapes.get(connection)
  if (!known) {
    known = new Map()
    shapes.set(connection, known)
  }
  return known
}

function shapeOf(fields: Fields): Shape {
  return {
    columns: fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID),
    })),
    empty: Object.fromEntries(fields.map(field => [field.name, null])),
  }
}

function rowOf(shape: Shape, fields: readonly (string | null)[]): Record<string, unknown> {
  const row = { ...shape.empty }
  fields.forEach((text, index) => {
    const column = shape.columns[index]
    if (text !== null && column) row[column.name] = column.parse(text)
  })
  return row
}
