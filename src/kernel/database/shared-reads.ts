/**
 * Reads outside a transaction share connections while these reply quickly. Many statements then use
 * one packet in each direction. This costs less than a connection for each statement (63 to 50 µs
 * of processor time a read). If the last statement of a connection takes longer, the connection
 * gets no further reads. So a slow statement delays only the reads that already share its
 * connection. A large statement takes longer than sharing saves, so it has a connection for itself.
 *
 * Behind a pooler nothing is shared: if a client ends while several of its requests wait on one
 * connection, PgBouncer before 1.22.1 gives that connection to another client, who gets the replies.
 * A kill of a process would show its rows to others.
 */
import type pg from 'pg'
import type { Answer } from './batch.ts'
import { brokenBy, SqlState } from './failures.ts'
import { send } from './send.ts'
import { compile, isLarge, type Sql } from './sql.ts'

type Ask = (statement: Sql) => Promise<Answer>

type Reading = { readonly client: Promise<pg.PoolClient>; asked: number; last_ms: number }

const shared_max = 8
const shared_ms = 2

export function shareReads(connect: () => Promise<pg.PoolClient>): Ask {
  let open: Reading | undefined
  return async statement => {
    const now = performance.now()
    const alone = isLarge(statement)
    let mine = alone ? undefined : open
    if (!mine || mine.asked >= shared_max || now - mine.last_ms > shared_ms) {
      mine = { client: connect(), asked: 0, last_ms: now }
      if (!alone) open = mine
    }
    mine.asked++
    let broken: Error | undefined
    let client: pg.PoolClient | undefined
    try {
      client = await mine.client
      return await send(client, compile(statement))
    } catch (error) {
      if (client) broken = brokenBy(error)
      throw SqlState.from(error)
    } finally {
      mine.asked--
      if (broken && open === mine) open = undefined
      if (mine.asked === 0) {
        if (open === mine) open = undefined
        client?.release(broken)
      }
    }
  }
}
