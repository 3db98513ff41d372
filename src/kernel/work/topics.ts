/**
 * Records the work that waits in this process, and its topics. A wake-up is only a hint. Every
 * waiter also polls, so a lost wake-up costs only latency.
 */

import type { Topics } from '../database/direct.ts'

/** Wakes what depends on the time of the platform, after it was moved (in development). */
export const clock_topic = 'kernel.clock'

export type Sleepers = {
  /**
   * Calls `run` at each wake-up for one of the topics. Without topics, every wake-up calls it. The
   * returned function ends the registration.
   */
  on(run: () => void, topics?: readonly string[]): () => void
  /** As `on`, for these topics only: not for a wake-up of all topics. */
  onNamed(run: () => void, topics: readonly string[]): () => void
  wake(topics: Topics): void
}

type Registered = { readonly topics?: readonly string[] | undefined; readonly named: boolean }

export function openSleepers(): Sleepers {
  const sleepers = new Map<() => void, Registered>()
  const add = (run: () => void, registered: Registered) => {
    // A new function for each registration, so that one `run` may be registered twice.
    const own = () => run()
    sleepers.set(own, registered)
    return () => void sleepers.delete(own)
  }
  return {
    on: (run, topics) => add(run, { topics, named: false }),
    onNamed: (run, topics) => add(run, { topics, named: true }),
    wake: topics => {
      for (const [run, { topics: own, named }] of sleepers) {
        if (topics === 'all' ? !named : !own || own.some(topic => topics.has(topic))) run()
      }
    },
  }
}
