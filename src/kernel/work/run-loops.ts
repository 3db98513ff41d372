/**
 * Runs the repeating work of a worker process: one run at a time per loop, at once when woken, and an
 * error only delays the next run. Stopping waits for the run in hand.
 */
import type { Log } from '../observability/log.ts'
import type { Loop } from './loop.ts'

export type RunningLoops = { stop(): Promise<void> }

export function startLoops(loops: readonly Loop[], log: Log): RunningLoops {
  const stopping = new AbortController()
  const running = loops.map(loop => repeat(loop, log, stopping.signal))
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function repeat(loop: Loop, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await loop.run(signal)
    } catch (error) {
      if (!signal.aborted)
        log.error({ loop: loop.name, err: error }, 'a loop failed; it runs again')
    }
    await pause(loop.every_ms, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
