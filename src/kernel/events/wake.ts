/**
 * A commit wakes the work that waits for its topics: immediately in this process, and in all others
 * by a notification, at most once per 5 ms. A wake-up is only a hint. Every sleeper also polls, so
 * a lost wake-up costs only latency.
 */
import type { Sleepers } from '../work/topics.ts'
import { both, openDirect, type DirectOptions, type Topics } from '../database/direct.ts'
import type { OpenBus } from './bus.ts'

export type Wake = {
  /** Wakes the sleepers of these topics: in this process now, and in other processes soon. */
  wake(topics?: Topics): void
  /** Notifies the other processes only. */
  notify(topics?: Topics): void
  /** Sends a packet of the bus to the other processes. */
  publish(packet: string): void
  start(): Promise<void>
  stop(): Promise<void>
}

const notify_interval_ms = 5

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
  let timer: NodeJS.Timeout | undefined
  let owed: Topics = new Set()

  const notify = (topics: Topics = 'all') => {
    owed = both(owed, topics)
    if (timer) return
    direct.notify(owed)
    owed = new Set()
    timer = setTimeout(() => {
      timer = undefined
      if (owed === 'all' || owed.size > 0) notify(owed)
    }, notify_interval_ms)
  }

  return {
    wake: (topics = 'all') => {
      sleepers.wake(topics)
      notify(topics)
    },
    notify,
    publish: direct.publish,
    start: direct.start,
    stop: async () => {
      clearTimeout(timer)
      await direct.stop()
    },
  }
}
