/**
 * One line for an outage that every request meets: the first failure is written at once, what follows
 * within ten seconds is counted and written as a number.
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
    if (more > 0) log.error({ count: more }, `${message}: more of the same`)
  }, after_ms).unref()
}
