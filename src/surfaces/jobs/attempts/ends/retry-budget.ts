/**
 * Limits the retries of a type to a share of its starts. So retries never become most of the load
 * on a system that already fails. A retry beyond the budget is not lost: it waits as long as the
 * type's backoff allows. Each process counts its own starts and retries.
 */
import { openRollingSum, type Monotonic } from '#dodeca/kernel'

export type RetryBudgets = {
  started(type: string, jobs: number): void
  /** Takes one retry, or returns false if none is left. */
  take(type: string): boolean
}

const window_ms = 60_000
const share = 0.2
const least = 10

export function openRetryBudgets(now: Monotonic): RetryBudgets {
  const types = new Map<string, ReturnType<typeof openRollingSum<'starts' | 'retries'>>>()
  const of = (type: string) => {
    const known = types.get(type) ?? openRollingSum<'starts' | 'retries'>(window_ms, now)
    types.set(type, known)
    return known
  }
  return {
    started: (type, jobs) => of(type).add('starts', jobs),
    take: type => {
      const sums = of(type)
      const allowed = Math.max(least, sums.total('starts') * share)
      if (sums.total('retries') + 1 > allowed) return false
      sums.add('retries')
      return true
    },
  }
}
