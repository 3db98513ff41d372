/**
 * Keeps the log short during an outage that affects every request. The first failure is logged
 * immediately. Failures in the following ten seconds are counted, and the count is logged as one
 * line.
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
