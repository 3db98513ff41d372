/** When the next attempt comes. */
import { expect, test } from 'vitest'
import { waitAfter } from '../due-queue.ts'

test('waits follow the list, or grow up to a cap, with a fifth of spread', () => {
  const near = (schedule: Parameters<typeof waitAfter>[0], n: number) => waitAfter(schedule, n)
  expect(near({ retry: [10] }, 1)).toSatisfy((s: number) => s >= 8 && s <= 12)
  expect(near({ retry: [10] }, 2)).toBeUndefined()
  expect(near({ retry: [10], attempts_max: 4 }, 3)).toSatisfy((s: number) => s >= 8 && s <= 12)
  expect(near({ retry: [10], attempts_max: 4 }, 4)).toBeUndefined()
  const grows = { retry: { first: 5, factor: 2, cap: 30, jitter: 0 } }
  expect([1, 2, 3, 4, 50].map(n => near(grows, n))).toEqual([5, 10, 20, 30, 30])
})
