/**
 * The rate of a replay of many deliveries: their due times follow each other at the given rate. A
 * short replay schedules only deliveries that are due soon. A long replay schedules a few seconds
 * of work and then postpones its job, so that the job uses no slot of the runner while it waits. A
 * cancelled replay sends only the deliveries that are already scheduled, so it stops within those
 * seconds.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseTime, rfc3339, type Clock } from '#dodeca/kernel'

export const rate_default = 50
const ahead_ms = 1000
const long_ahead_ms = 10_000
/** It takes about a second until a postponed job is claimed again. */
const claimed_again_ms = 2000

export type Pace = {
  /** How far ahead deliveries are scheduled. */
  lead_seconds(): number
  took(many: number, rate_per_second: number): void
  /** The last due time that was used. The next attempt of the job continues from there. */
  until(): string
  /**
   * Resolves when more deliveries may be scheduled. If that takes long, it returns at once the
   * number of seconds by which to postpone the job.
   */
  room(left: number, rate_per_second: number, signal: AbortSignal): Promise<number | null>
}

export function openPace(clock: Pick<Clock, 'nowMs'>, until: string | null): Pace {
  let until_ms = until === null ? clock.nowMs() : parseTime(until)
  const lead_ms = () => Math.max(0, until_ms - clock.nowMs())
  return {
    lead_seconds: () => lead_ms() / 1000,
    took: (many, rate) => {
      until_ms = clock.nowMs() + lead_ms() + (many / rate) * 1000
    },
    until: () => rfc3339(until_ms),
    room: async (left, rate, signal) => {
      const is_long = (left / rate) * 1000 > long_ahead_ms
      const over_ms = lead_ms() - (is_long ? long_ahead_ms : ahead_ms)
      if (over_ms < 0) signal.throwIfAborted()
      else if (is_long || over_ms > long_ahead_ms) {
        return Math.max(1, Math.floor((lead_ms() - claimed_again_ms) / 1000))
      } else await wait(over_ms, undefined, { signal })
      return null
    },
  }
}
