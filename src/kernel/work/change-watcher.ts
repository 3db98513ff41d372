/**
 * Detects changed rows for streams whose readers wait for changes. For any number of waiting
 * readers, one statement a second checks all their rows, and one more follows a wake-up. A reader
 * only learns that there is something to read. Without readers nothing is checked.
 */
import { logFailure } from '../database/log-failure.ts'
import type { Log } from '../observability/log.ts'

export type ChangeWatcher<Place> = {
  /** Resolves with true once the rows have changed since the place, and with false when aborted. */
  changed(since: Place, signal: AbortSignal): Promise<boolean>
  close(): void
}

export type Watching<Place> = {
  readonly log: Log
  onWake(run: () => void): () => void
  /** Several wake-ups within this time cause one check. */
  readonly wake_min_ms: number
  /** The log message after a failed check. The check is repeated. */
  readonly failure: string
  /** For each place, in order: whether its rows have changed since. */
  check(places: readonly Place[]): Promise<readonly boolean[]>
}

const every_ms = 1000

export function openChangeWatcher<Place>(watching: Watching<Place>): ChangeWatcher<Place> {
  const { log, wake_min_ms, failure } = watching
  type Waiting = { readonly since: Place; resolve(changed: boolean): void }
  const all = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Timeout | undefined
  let checking = false
  let again = false
  let checked_ms = -Infinity
  const check = async () => {
    again = checking
    if (checking) return
    checking = true
    checked_ms = performance.now()
    try {
      do {
        again = false
        const waiting = [...all]
        if (waiting.length === 0) return
        const changed = await watching.check(waiting.map(one => one.since))
        for (const [i, one] of waiting.entries()) if (changed[i]) one.resolve(true)
      } while (again)
    } catch (error) {
      logFailure(log, { err: error }, failure)
    } finally {
      checking = false
    }
  }
  const wake = () => {
    if (all.size === 0) return
    soon ??= setTimeout(() => {
      soon = undefined
      void check()
    }, wake_min_ms)
  }
  const stopListening = watching.onWake(wake)
  const stop = () => {
    clearInterval(timer)
    clearTimeout(soon)
    timer = undefined
    soon = undefined
  }
  return {
    changed: async (since, signal) => {
      if (signal.aborted) return false
      const done = Promise.withResolvers<boolean>()
      const waiting: Waiting = { since, resolve: done.resolve }
      const aborted = () => done.resolve(false)
      all.add(waiting)
      timer ??= setInterval(() => void check(), every_ms)
      // A single reader that waits again and again for a second would never see the timer's turn.
      if (performance.now() - checked_ms >= every_ms) void check()
      signal.addEventListener('abort', aborted, { once: true })
      try {
        return await done.promise
      } finally {
        signal.removeEventListener('abort', aborted)
        all.delete(waiting)
        if (all.size === 0) stop()
      }
    },
    close: () => {
      stopListening()
      stop()
      for (const waiting of all) waiting.resolve(false)
    },
  }
}
