/**
 * Collects items that arrive while a round is running, or while it rests afterwards, into the next
 * round, so that many share one transaction.
 */
import { setTimeout as wait } from 'node:timers/promises'

export type Batcher<T, R> = {
  add(one: T): Promise<R>
  /** Resolves when no item waits. */
  idle(): Promise<void>
}

export type BatcherOptions = {
  /** The items of one round. */
  readonly most: number
  /** The time from a round to the next. Under load it makes the rounds larger and fewer. */
  readonly rest_ms: number
}

export function openBatcher<T, R>(
  { most, rest_ms }: BatcherOptions,
  run: (all: readonly T[]) => Promise<readonly R[]>,
): Batcher<T, R> {
  type Waiting = { one: T; done: PromiseWithResolvers<R> }
  const waiting: Waiting[] = []
  let running: Promise<void> | null = null
  const round = async () => {
    // Items added in this turn of the event loop join the round.
    await new Promise(resolve => setImmediate(resolve))
    while (waiting.length > 0) {
      const now = waiting.splice(0, most)
      try {
        const results = await run(now.map(({ one }) => one))
        now.forEach(({ done }, index) => done.resolve(results[index] as R))
      } catch (error) {
        for (const { done } of now) done.reject(error)
      }
      if (rest_ms > 0 && waiting.length < most) await wait(rest_ms)
    }
    running = null
  }
  return {
    add: one => {
      const done = Promise.withResolvers<R>()
      waiting.push({ one, done })
      running ??= round()
      return done.promise
    },
    idle: async () => {
      while (running) await running
    },
  }
}
