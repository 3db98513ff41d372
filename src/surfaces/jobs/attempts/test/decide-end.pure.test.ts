/** What becomes of a job when an attempt ends, for everything that may have happened meanwhile. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryDelayMs } from '../backoff.ts'
import { decideEnd, type Ending, type Retrying, type AttemptFacts } from '../ends/decide-end.ts'
import { openRetryBudgets } from '../ends/retry-budget.ts'

const standing: AttemptFacts = {
  now_ms: 1_000_000,
  failures: 0,
  losses: 0,
  max_attempts: 5,
  losses_max: 3,
  deadline_ms: null,
  cancel_requested: false,
}
const retrying: Retrying = {
  backoff: { base_ms: 2000, cap_ms: 900_000 },
  random: 0.5,
  budget: () => true,
}
const failed = (error: object = {}): Ending => ({
  outcome: 'failed',
  error: { code: 'broken', retryable: true, ...error },
})

const late = { deadline_ms: 999_999 }
const cancelled = { cancel_requested: true }
type Row = readonly [string, Ending, Partial<AttemptFacts>, string, string, string | null]
const rows: readonly Row[] = [
  ['done', { outcome: 'succeeded' }, {}, 'succeeded', 'succeeded', null],
  ['done although cancelled', { outcome: 'succeeded' }, cancelled, 'succeeded', 'succeeded', null],
  ['done although late', { outcome: 'succeeded' }, late, 'succeeded', 'succeeded', null],
  ['failed', failed(), {}, 'failed', 'retryable', 'broken'],
  ['failed for good', failed({ retryable: false }), {}, 'failed', 'failed', 'broken'],
  ['the last attempt', failed(), { failures: 4 }, 'failed', 'failed', 'broken'],
  ['failed when cancelled', failed(), cancelled, 'failed', 'cancelled', null],
  ['failed too late', failed(), late, 'failed', 'expired', 'deadline_exceeded'],
  ['no room for a retry', failed(), { deadline_ms: 1_000_999 }, 'failed', 'failed', 'broken'],
  ['just room', failed(), { deadline_ms: 1_001_001 }, 'failed', 'retryable', 'broken'],
  ['timed out', { outcome: 'timed_out' }, {}, 'failed', 'retryable', 'attempt_timed_out'],
  ['stopped', { outcome: 'cancelled' }, cancelled, 'cancelled', 'cancelled', null],
  ['given up', { outcome: 'cancelled' }, {}, 'cancelled', 'cancelled', null],
  ['stopped by time', { outcome: 'cancelled' }, late, 'cancelled', 'expired', 'deadline_exceeded'],
  ['released', { outcome: 'released' }, {}, 'released', 'retryable', null],
  ['released, cancelled', { outcome: 'released' }, cancelled, 'released', 'cancelled', null],
  ['lost', { outcome: 'lost' }, {}, 'lease_expired', 'retryable', 'worker_lost'],
  ['lost thrice', { outcome: 'lost' }, { losses: 2 }, 'lease_expired', 'failed', 'worker_lost'],
  ['lost, cancelled', { outcome: 'lost' }, cancelled, 'lease_expired', 'cancelled', null],
  ['overdue', { outcome: 'overdue' }, late, 'expired', 'expired', 'deadline_exceeded'],
]

describe('an attempt ends', () => {
  test.each(rows)('%s', (_name, ending, at, attempt, job, code) => {
    const decision = decideEnd(ending, { ...standing, ...at }, retrying)
    expect(decision).toMatchObject({ attempt, job })
    expect(decision.error?.code ?? null).toBe(code)
  })

  test('a retry waits for its backoff, a released or lost one for nothing', () => {
    expect(decideEnd(failed(), standing, retrying)).toMatchObject({ wait_ms: 1000, failures: 1 })
    const lost = decideEnd({ outcome: 'lost' }, standing, retrying)
    expect(lost).toMatchObject({ wait_ms: 0, losses: 1, failures: 0 })
    const forgiven = decideEnd({ outcome: 'interrupted' }, { ...standing, losses: 2 }, retrying)
    expect(forgiven).toMatchObject({ job: 'retryable', wait_ms: 0, losses: 2, failures: 0 })
    const off = decideEnd({ outcome: 'released', after_seconds: 7 }, standing, retrying)
    expect(off).toMatchObject({ job: 'retryable', wait_ms: 7000, failures: 0, losses: 0 })
    const released = decideEnd({ outcome: 'released' }, { ...standing, failures: 2 }, retrying)
    expect(released).toMatchObject({ wait_ms: 0, failures: 2, losses: 0 })
  })

  test('a retry beyond the budget waits longer, and is never lost', () => {
    const decision = decideEnd(failed(), standing, { ...retrying, budget: () => false })
    expect(decision).toMatchObject({ job: 'retryable', wait_ms: 675_000 })
  })
})

const outcomes = ['succeeded', 'cancelled', 'released', 'lost', 'overdue', 'timed_out'] as const
const anyEnding: fc.Arbitrary<Ending> = fc.oneof(
  fc.constantFrom(...outcomes).map(outcome => ({ outcome })),
  fc.boolean().map(retryable => failed({ retryable })),
)
const anyStanding = fc.record({
  now_ms: fc.constant(1_000_000),
  failures: fc.nat(60),
  losses: fc.nat(3),
  max_attempts: fc.integer({ min: 1, max: 50 }),
  losses_max: fc.constant(3),
  deadline_ms: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3_000_000 })),
  cancel_requested: fc.boolean(),
})

test('whatever happens: only unfinished work waits, before its deadline, with attempts left', () => {
  const random = fc.double({ min: 0, max: 0.999_999, noNaN: true })
  fc.assert(
    fc.property(anyEnding, anyStanding, random, fc.boolean(), (ending, at, chance, budget) => {
      const means = { backoff: retrying.backoff, random: chance, budget: () => budget }
      const decision = decideEnd(ending, at, means)
      expect(decision.job === 'succeeded').toBe(ending.outcome === 'succeeded')
      expect(['failed', 'expired'].includes(decision.job)).toBe(
        decision.error !== null && decision.job !== 'retryable',
      )
      const again = decision.job === 'retryable'
      expect(again || decision.wait_ms === 0).toBe(true)
      expect(again && at.cancel_requested).toBe(false)
      const starts_ms = at.now_ms + decision.wait_ms
      expect(again && at.deadline_ms !== null && starts_ms >= at.deadline_ms).toBe(false)
      expect(decision.wait_ms > 0 && decision.failures >= at.max_attempts).toBe(false)
    }),
    { numRuns: 3000 },
  )
})

test('a backoff stays under its cap and doubles, and never comes before it was asked to', () => {
  const backoff = { base_ms: 2000, cap_ms: 900_000 }
  const random = fc.double({ min: 0, max: 0.999_999, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      random,
      fc.nat(2_000_000),
      (n, chance, asked) => {
        const wait_ms = retryDelayMs(backoff, n, chance)
        expect(wait_ms).toBeLessThanOrEqual(Math.min(900_000, 2000 * 2 ** (n - 1)))
        expect(retryDelayMs(backoff, n, chance, asked)).toBe(Math.max(wait_ms, asked))
        expect(retryDelayMs(backoff, n + 1, chance)).toBeGreaterThanOrEqual(wait_ms)
      },
    ),
  )
})

test('retries stay a fifth of the starts of the last minute, and ten in any case', () => {
  let now_ms = 0
  const budgets = openRetryBudgets(() => now_ms)
  const take = () => {
    let taken = 0
    while (budgets.take('a')) taken++
    return taken
  }
  expect(take()).toBe(10)
  budgets.started('a', 200)
  expect(take()).toBe(30)
  expect(budgets.take('b')).toBe(true)
  now_ms = 70_000
  expect(take()).toBe(10)
})
