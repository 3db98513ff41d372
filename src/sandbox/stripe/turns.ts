/**
 * Runs one request at a time for each object. A request that waits too long is refused and not
 * executed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { lockTimeout } from './refusals.ts'

export function openTurns(wait_ms: () => number) {
  const busy = new Map<string, Promise<unknown>>()
  return async <T>(about: string | null, work: () => Promise<T>): Promise<T> => {
    if (about === null) return work()
    const before = busy.get(about)
    const patience = pause(wait_ms(), 'late' as const, { ref: false })
    if (before && (await Promise.race([before.catch(() => {}), patience])) === 'late') {
      throw lockTimeout()
    }
    const mine = work()
    busy.set(about, mine)
    return mine.finally(() => {
      if (busy.get(about) === mine) busy.delete(about)
    })
  }
}
