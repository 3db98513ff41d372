/**
 * Limits click work that can wait, so that redirects have priority. While this process is busy, the
 * click work pauses for a multiple of the time that it worked. So click work uses a small, known
 * share of the time.
 */
import { performance } from 'node:perf_hooks'

const busy_share = 0.85
const rest_factor = 20

export type Pace = {
  /** Returns how long to pause after this much work, or zero if the process is not busy. */
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
