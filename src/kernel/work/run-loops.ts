/**
 * Runs the repeated work of a worker process. Each loop has one run at a time, and starts
 * immediately when woken. An error only delays the next run. Stopping waits for the current run.
 */
import { logFailure } from '../database/log-failure.ts'
import type { Log } from '../observability/log.ts'
import type { Loop } from './loop.ts'
import type { Sign } from './pulse.ts'
import { openSleeper } from './sleeper.ts'
import { clock_topic, type Sleepers } from './topics.ts'

export type RunningLoops = { stop(): Promise<void> }

export function startLoops(
  loops: readonly Loop[],
  { log, sleepers }: { readonly log: Log; readonly sleepers: Pick<Sleepers, 'on' | 'onNamed'> },
): RunningLoops {
  const stopping = new AbortController()
  const running = loops.map(loop => repeat(loop, log, sleepers, stopping.signal))
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/**
 * A general wake-up means that hints may be lost. A loop that waits for no hint does not run at it:
 * a sweep of an hour would otherwise run at every one.
 */
function listen(
  { name, topics = [], due }: Loop,
  wake: () => void,
  sleepers: Pick<Sleepers, 'on' | 'onNamed'>,
): () => void {
  if (topics.length > 0 || due) return sleepers.on(wake, [name, ...topics])
  return sleepers.onNamed(wake, [name, clock_topic])
}

/** The expressions that the pulse checks for loops. The topic of each is the loop's own name. */
export function signsOf(loops: readonly Loop[]): Sign[] {
  return loops.flatMap(({ name, due }) => (due ? [{ topic: name, due }] : []))
}

async function repeat(
  loop: Loop,
  log: Log,
  sleepers: Pick<Sleepers, 'on' | 'onNamed'>,
  signal: AbortSignal,
): Promise<void> {
  const sleeper = openSleeper()
  const off = listen(loop, sleeper.wake, sleepers)
  signal.addEventListener('abort', sleeper.close, { once: true })
  while (!signal.aborted) {
    try {
      await loop.run(signal)
    } catch (error) {
      if (!signal.aborted)
        logFailure(log, { loop: loop.name, err: error }, 'a loop failed and will run again')
    }
    await sleeper.sleep(loop.every_ms)
  }
  off()
}
