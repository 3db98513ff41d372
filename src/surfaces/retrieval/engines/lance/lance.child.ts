/**
 * The program of a child process that opens index tables. It ends when the platform process ends,
 * and before the lease of a running write ends, because after that another writer may own the
 * table.
 */
import { IndexFailed, monotonicMs } from '../index.ts'
import type { Call, CallReply, Storage } from './protocol.ts'
import { openTables, type Tables } from './tables.ts'

/** A commit that has begun takes a few milliseconds. */
const margin_ms = 100

let tables: Promise<Tables> | undefined

process.on('message', (message: Storage | Call) => {
  if ('uri' in message) tables = openTables(message)
  else void answer(message).then(reply => process.send?.(reply))
})
process.on('disconnect', () => process.exit())

async function answer({ id, method, parameters, until_ms }: Call): Promise<CallReply> {
  const leased =
    until_ms === undefined
      ? undefined
      : setTimeout(
          () => process.kill(process.pid, 'SIGKILL'),
          Math.max(1, until_ms - margin_ms - monotonicMs()),
        )
  try {
    const opened = await tables
    if (!opened) throw new IndexFailed('engine_failed', 'The process has no storage.')
    const run = opened[method] as (...parameters: readonly unknown[]) => Promise<unknown>
    return { id, value: await run(...parameters) }
  } catch (error) {
    if (error instanceof IndexFailed) return { id, failed: error.code, reason: error.message }
    return { id, failed: 'engine_failed', reason: String(error).slice(0, 1000) }
  } finally {
    clearTimeout(leased)
  }
}
