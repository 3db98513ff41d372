/**
 * Collects items that arrive while a round is running into the next round, so that many share one
 * transaction.
 */
export type Batcher<T, R> = {
  add(one: T): Promise<R>
  /** Resolves when no item waits. */
  idle(): Promise<void>
}

export function openBatcher<T, R>(
  most: number,
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
