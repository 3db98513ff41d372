/**
 * Decides whether this process accepts work now. It refuses once it stops, and while its event loop
 * is so late that one more request would only slow down all others. One pause is not overload: a
 * module that loads at its first use, or a busy machine, must not cause refusals.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { problem, type Problem } from '../errors/problem.ts'

export type Overload = {
  refusal(): Problem | null
  /** The process is not ready any more. Requests are still served, until the proxies know it. */
  drain(): void
  draining(): boolean
  /** From now on every request is refused. */
  refuseAll(): void
  close(): void
}

export function watchOverload(delay_ms_max: number): Overload {
  // Each look wakes the process: 50 a second were a quarter of its processor time at rest.
  const delay = monitorEventLoopDelay({ resolution: Math.ceil(delay_ms_max / 5) })
  delay.enable()
  let late = false
  let was_late = false
  let draining = false
  let refuses = false
  const sample = setInterval(() => {
    const is_late = delay.percentile(99) / 1e6 > delay_ms_max
    late = is_late && was_late
    was_late = is_late
    delay.reset()
  }, 1000)
  sample.unref()
  return {
    refusal: () => {
      if (refuses) {
        return problem('shutting_down', { retry_after: 1, headers: { connection: 'close' } })
      }
      return late ? problem('overloaded', { retry_after: 1 }) : null
    },
    drain: () => {
      draining = true
    },
    draining: () => draining,
    refuseAll: () => {
      refuses = true
    },
    close: () => {
      clearInterval(sample)
      delay.disable()
    },
  }
}
