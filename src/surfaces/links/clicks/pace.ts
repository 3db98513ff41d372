/**
 * Limits work on clicks that can wait in favour of redirects: while this process is busy, it pauses
 * for a multiple of the time that it worked, and so takes a small, known share of the time.
 */
import { performance } from 'node:perf_hooks'

const busy_share = 0.85
const rest_factor = 20

export type Pace = {
  /** How long to pause after that much work; zero if the process has time. */
  restAfter(worked_ms: number): number
}

export function openPace(): Pace {
  let last = performance.eventLoopUtilization()
  return {
    restAfter: worked_ms => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization > busy_share ? worked_ms * rest_factor : 0
    },
  }
}
