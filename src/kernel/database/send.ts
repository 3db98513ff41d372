/**
 * Sends statements. All statements of one turn of the event loop on one connection are sent
 * together.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import type { Statement } from './sql.ts'

/**
 * Statements of one turn are sent in one packet. Each write to a socket costs as much as the rest
 * of sending a statement (keyed writes rose from 838 to 1,207 a second).
 */
export function send(
  client: pg.PoolClient,
  statement: Statement | string,
): Promise<pg.QueryResult> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (stream.writableCorked === 0) {
    stream.cork()
    process.nextTick(uncork, stream)
  }
  if (typeof statement === 'string') return client.query(statement)
  const { text, values } = statement
  return client.query(unnamed.has(client) ? { text, values } : statement)
}

const unnamed = new WeakSet<pg.ClientBase>()

/**
 * Parses each statement every time. This is for a pooler in transaction mode that does not track
 * named statements (PgBouncer before 1.21). With such a pooler the next transaction may use another
 * connection, on which the name is unknown.
 */
export function neverName(client: pg.ClientBase): void {
  unnamed.add(client)
}

function uncork(stream: Writable): void {
  stream.uncork()
}
