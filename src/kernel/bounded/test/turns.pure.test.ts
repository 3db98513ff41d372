/** Long checks leave the event loop to others between them. */
import { expect, test } from 'vitest'
import { inTurn } from '../turns.ts'

function take(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('between two long checks others have their turn', async () => {
  let rounds = 0
  let counting = true
  const count = () => {
    rounds++
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const seen: number[] = []
  const checks = Array.from({ length: 12 }, async (_, n) => {
    await inTurn(() => {
      take(6)
      seen.push(rounds)
    })
    return n
  })
  expect(await Promise.all(checks)).toEqual([...Array(12).keys()])
  counting = false
  expect(new Set(seen).size).toBe(12)
})

test('all have their turn, in their order, also behind one that throws', async () => {
  const order: number[] = []
  const settled = await Promise.allSettled(
    Array.from({ length: 10 }, (_, n) =>
      inTurn(() => {
        order.push(n)
        if (n === 3) throw new Error('refused')
        if (n === 5) take(6)
      }),
    ),
  )
  expect(order).toEqual([...Array(10).keys()])
  expect(settled.filter(one => one.status === 'rejected')).toHaveLength(1)
})
