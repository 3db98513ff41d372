/**
 * Keeps the log short during an outage that every request runs into: the first failure is written
 * at once, the following ones within ten seconds are counted and written as one number.
 */
import type { Log } from './log.ts'

const quiet_ms = 10_000

const counts = new WeakMap<Log, Map<string, number>>()

export function logOutage(log: Log, fields: object, message: string, after_ms = quiet_ms): void {
  const known = counts.get(log) ?? new Map<string, number>()
  counts.set(log, known)
  const count = known.get(message)
  if (count !== undefined) return void known.set(message, count + 1)
  log.error(fields, message)
  known.set(message, 0)
  setTimeout(() => {
    const more = known.get(message) ?? 0
    known.delete(message)
    if (more > 0) log.error({ count: more }, `${message}: repeated`)
  }, after_ms).unref()
}
