/**
 * The program of a child process that opens index tables. It ends when the platform process ends,
 * and before the lease of a running write ends, because after that another writer may own the
 * table.
 */
import { IndexFailed, monotonicMs } from '../index.ts'
import type { Call, CallReply, Extension, Storage } from './protocol.ts'
import { openTables, type Tables } from './tables.ts'

/** A commit that has begun takes a few milliseconds. */
const margin_ms = 100

let tables: Promise<Tables> | undefined
/** By call: ends this process before the lease of the call ends. */
const ends = new Map<number, NodeJS.Timeout>()

process.on('message', (message: Storage | Call | Extension) => {
  if ('uri' in message) tables = openTables(message)
  else if ('extended' in message) {
    if (ends.has(message.extended)) endWithLease(message.extended, message.until_ms)
  } else void answer(message).then(reply => process.send?.(reply))
})
process.on('disconnect', () => process.exit())

async function answer({ id, method, parameters, until_ms }: Call): Promise<CallReply> {
  if (until_ms !== undefined) endWithLease(id, until_ms)
  try {
    const opened = await tables
    if (!opened) throw new IndexFailed('engine_failed', 'The process has no storage.')
    const run = opened[method] as (...parameters: readonly unknown[]) => Promise<unknown>
    return { id, value: await run(...parameters) }
  } catch (error) {
    if (error instanceof IndexFailed) return { id, failed: error.code, reason: error.message }
    return { id, failed: 'engine_failed', reason: String(error).slice(0, 1000) }
  } finally {
    clearTimeout(ends.get(id))
    ends.delete(id)
  }
}

function endWithLease(id: number, until_ms: number): void {
  clearTimeout(ends.get(id))
  const left_ms = Math.max(1, until_ms - margin_ms - monotonicMs())
  ends.set(
    id,
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), left_ms),
  )
}
