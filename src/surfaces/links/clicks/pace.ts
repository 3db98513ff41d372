/**
 * Work on clicks that can wait makes way for redirects: while this process is busy answering, it rests so
 * many times as long as it worked, and so takes a small, known part of the time.
 */
import { performance } from 'node:perf_hooks'

const busy_share = 0.85
const rest_factor = 20

export type Pace = {
  /** How long to rest after so much work; zero where the process has time. */
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
