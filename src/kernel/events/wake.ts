/**
 * Who waits for work is woken at once in this process, and through an empty notification in all others,
 * at most once per 20 ms. A wake-up is a hint, never a fact: every sleeper also polls, so losing all of
 * them costs latency and nothing else.
 */
import { openDirect, type DirectOptions } from '../database/direct.ts'

export type Wake = {
  /** Wakes every sleeper of this process now and those of the others in at most 20 ms. */
  wake(): void
  /** Tells the other processes only. */
  tell(): void
  onWake(run: () => void): () => void
  start(): Promise<void>
  stop(): Promise<void>
}

const notify_interval_ms = 5

export function openWake(options: DirectOptions): Wake {
  const sleepers = new Set<() => void>()
  const local = () => {
    for (const run of sleepers) run()
  }
  const direct = openDirect(options, local)
  let timer: NodeJS.Timeout | undefined
  let owed = false

  const tell = () => {
    owed = true
    if (timer) return
    owed = false
    direct.notify()
    timer = setTimeout(() => {
      timer = undefined
      if (owed) tell()
    }, notify_interval_ms)
  }

  return {
    wake: () => {
      local()
      tell()
    },
    tell,
    onWake: run => {
      sleepers.add(run)
      return () => void sleepers.delete(run)
    },
    start: direct.start,
    stop: async () => {
      clearTimeout(timer)
      await direct.stop()
    },
  }
}
