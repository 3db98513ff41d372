/**
 * How fast a replay of many goes: what is lined up gets its time one after the other at the given rate,
 * and no more is lined up than what is due within moments, so that a cancelled replay stops at once.
 */
import { setTimeout as wait } from 'node:timers/promises'

export const rate_default = 50
const ahead_ms = 1000

export type Pace = {
  /** How far the line reaches beyond this moment. */
  lead_seconds(): number
  took(many: number, rate_per_second: number): void
  /** Resolves when there is room in the line again. */
  room(signal: AbortSignal): Promise<void>
}

export function openPace(): Pace {
  let until_ms = performance.now()
  const lead_ms = () => Math.max(0, until_ms - performance.now())
  return {
    lead_seconds: () => lead_ms() / 1000,
    took: (many, rate) => {
      until_ms = performance.now() + lead_ms() + (many / rate) * 1000
    },
    room: async signal => {
      const over_ms = lead_ms() - ahead_ms
      if (over_ms > 0) await wait(over_ms, undefined, { signal })
      else signal.throwIfAborted()
    },
  }
}
