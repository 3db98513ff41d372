/**
 * How much retrying one upstream gets: a share of the recent calls, so that retries cannot multiply the
 * load on what is already down, but never fewer than a fixed number, so that a quiet one keeps its few.
 */
import { openRollingSum, type Monotonic } from './rolling-sum.ts'

export type RetryBudget = {
  called(): void
  /** Takes one retry, or says that none is left. */
  take(): boolean
}

const window_ms = 10_000
const share = 0.1
const least = 10

export function openRetryBudget(now: Monotonic): RetryBudget {
  const sums = openRollingSum<'calls' | 'retries'>(window_ms, now)
  return {
    called: () => sums.add('calls'),
    take: () => {
      if (sums.total('retries') + 1 > Math.max(least, sums.total('calls') * share)) return false
      sums.add('retries')
      return true
    },
  }
}
