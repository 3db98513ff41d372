/**
 * How a statement is sent: together with all others that this turn of the event loop sends on its
 * connection.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import type { Statement } from './sql.ts'

/**
 * Statements of one turn are sent in one packet, because each write to a socket costs as much as
 * all the rest of sending a statement (a keyed write: from 838 to 1,207 a second).
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
 * For a pooler in transaction mode that does not track named statements (PgBouncer before 1.21):
 * the next transaction may have another connection, where the name is unknown. Each statement is
 * then parsed each time.
 */
export function neverName(client: pg.ClientBase): void {
  unnamed.add(client)
}

function uncork(stream: Writable): void {
  stream.uncork()
}
