/**
 * Limits the retries of one upstream to a share of its recent calls, so that retries cannot
 * multiply the load on an upstream that is down. A fixed minimum always remains, so that an
 * upstream with few calls gets retries too.
 */
import { openRollingSum, type Monotonic } from './rolling-sum.ts'

export type RetryBudget = {
  called(): void
  /** Takes one retry, or returns false if none is left. */
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
