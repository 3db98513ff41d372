/**
 * Records what waits in this process, and for which topics. A wake-up is only a hint. Every waiter
 * also polls, so a lost wake-up costs latency and nothing else.
 */

import type { Topics } from '../database/direct.ts'

export type Sleepers = {
  /**
   * Calls `run` at each wake-up that names one of the topics (without topics: at each wake-up).
   * Returns a function that stops this.
   */
  on(run: () => void, topics?: readonly string[]): () => void
  wake(topics: Topics): void
}

export function openSleepers(): Sleepers {
  const sleepers = new Map<() => void, readonly string[] | undefined>()
  return {
    on: (run, topics) => {
      // A new function for each registration, so that one `run` may be registered twice.
      const own = () => run()
      sleepers.set(own, topics)
      return () => void sleepers.delete(own)
    },
    wake: topics => {
      for (const [run, own] of sleepers) {
        if (!own || topics === 'all' || own.some(topic => topics.has(topic))) run()
      }
    },
  }
}
