/**
 * Records the work that waits in this process, and its topics. A wake-up is only a hint. Every
 * waiter also polls, so a lost wake-up costs only latency.
 */

import type { Topics } from '../database/direct.ts'

export type Sleepers = {
  /**
   * Calls `run` at each wake-up for one of the topics. Without topics, every wake-up calls it. The
   * returned function ends the registration.
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
