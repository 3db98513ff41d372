/**
 * A commit wakes the work that waits for its topics: immediately in this process, and in all others
 * by a notification, at most once per 5 ms. A wake-up is only a hint. Every sleeper also polls, so
 * a lost wake-up costs only latency.
 */
import type { Sleepers } from '../work/topics.ts'
import { openDirect, type DirectOptions, type Topics } from '../database/direct.ts'
import type { OpenBus } from './bus.ts'

export type Wake = {
  /** Wakes the sleepers of these topics: in this process now, and in other processes soon. */
  wake(topics?: Topics): void
  /** Notifies the other processes only. */
  notify(topics: Topics): void
  /** Sends a packet of the bus to the other processes. */
  publish(packet: string): void
  start(): Promise<void>
  stop(): Promise<void>
}

export function openWake(
  options: DirectOptions,
  sleepers: Sleepers,
  bus?: Pick<OpenBus, 'received' | 'gap'>,
): Wake {
  const direct = openDirect(
    options,
    topics => {
      sleepers.wake(topics)
      // Wakes all topics, because the connection was lost for a time.
      if (topics === 'all') bus?.gap()
    },
    packet => bus?.received(packet),
  )
  return {
    wake: (topics = 'all') => {
      sleepers.wake(topics)
      direct.notify(topics)
    },
    notify: direct.notify,
    publish: direct.publish,
    start: direct.start,
    stop: direct.stop,
  }
}
