/** How a statement leaves: together with whatever else this turn of the event loop sends on its connection. */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import type { Statement } from './sql.ts'

/**
 * What one turn sends leaves in one packet, because each write to a socket costs as much as all the rest
 * of sending a statement (a keyed write: 838 to 1,207 a second).
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
  return typeof statement === 'string' ? client.query(statement) : client.query(statement)
}

function uncork(stream: Writable): void {
  stream.uncork()
}
