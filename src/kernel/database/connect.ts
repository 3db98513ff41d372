/** Takes a connection from the pool, and reports how long the caller waited for it. */
import type pg from 'pg'
import { DatabaseBusy, SqlState } from './failures.ts'

export async function connect(
  pool: pg.Pool,
  { waited }: { waited(seconds: number): void },
): Promise<pg.PoolClient> {
  if (pool.idleCount > 0 && pool.waitingCount === 0) return await pool.connect()
  const started = performance.now()
  try {
    return await pool.connect()
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('timeout exceeded')) {
      throw new DatabaseBusy({ cause: error })
    }
    throw SqlState.from(error)
  } finally {
    waited((performance.now() - started) / 1000)
  }
}
