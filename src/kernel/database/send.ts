/**
 * Sends statements. All statements of one turn of the event loop on one connection are sent
 * together.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { Batch, type Answer } from './batch.ts'
import type { Statement } from './sql.ts'

/**
 * Sends one statement outside a transaction. If it fails, no other statement fails. Statements
 * of one turn are sent in one packet. Each write to a socket costs as much as the rest of sending a
 * statement (keyed writes rose from 838 to 1,207 a second).
 */
export function send(client: pg.ClientBase, statement: Statement): Promise<Answer> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (stream.writableCorked === 0) {
    stream.cork()
    process.nextTick(uncork, stream)
  }
  const batch = new Batch()
  const answer = batch.add(statement, !unnamed.has(client))
  submit(client, batch)
  return answer
}

/** Sends the statements of one transaction. The statements of one turn form one batch. */
export class TxSender {
  private readonly client: pg.ClientBase
  private open: Batch | undefined

  constructor(client: pg.ClientBase) {
    this.client = client
  }

  send(statement: Statement): Promise<Answer> {
    const batch = this.open ?? new Batch()
    const answer = batch.add(statement, !unnamed.has(this.client))
    if (!this.open) {
      this.open = batch
      process.nextTick(flush, this)
    }
    return answer
  }

  flush(): void {
    if (this.open) submit(this.client, this.open)
    this.open = undefined
  }
}

function flush(sender: TxSender): void {
  sender.flush()
}

function submit(client: pg.ClientBase, batch: Batch): void {
  client.query(batch as unknown as pg.Submittable)
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
