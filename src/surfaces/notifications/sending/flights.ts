/**
 * The messages that this process is sending now, counted per lane. The total never exceeds the
 * capacity. Bulk may use only a part of it, so that a claim of urgent messages always has room.
 */
import type { Kernel } from '../settings.ts'

export type Flights = {
  begin(lane: number, work: Promise<void>): void
  /** The number of further messages of this lane that may be claimed. */
  roomFor(lane: number): number
  /** Resolves when there is room again, or new work. */
  changed(): Promise<boolean>
  note(): void
  landed(): Promise<void>
}

const lanes = 4
/**
 * Claims only when this many places are free, because a claim of one message costs as much as a
 * claim of fifty.
 */
const refill = 48
const bulk_lane = lanes - 1

export function openFlights(settings: Kernel['settings']): Flights {
  const most = settings['notifications.in_flight']
  const bulk_most = most * settings['notifications.bulk_share']
  const flying = new Set<Promise<void>>()
  const under_way = Array.from({ length: lanes }, () => 0)
  let changed = Promise.withResolvers<boolean>()
  let landed = 0
  const note = () => {
    landed = 0
    changed.resolve(true)
    changed = Promise.withResolvers()
  }
  return {
    note,
    changed: () => changed.promise,
    begin: (lane, work) => {
      under_way[lane] = (under_way[lane] ?? 0) + 1
      const all: Promise<void> = work.finally(() => {
        under_way[lane] = (under_way[lane] ?? 1) - 1
        flying.delete(all)
        if (++landed >= refill || under_way[lane] === 0) note()
      })
      flying.add(all)
    },
    roomFor: lane => {
      const room = most - under_way.reduce((sum, many) => sum + many, 0)
      const bulk_room = bulk_most - (under_way[bulk_lane] ?? 0)
      return Math.max(0, Math.floor(lane === bulk_lane ? Math.min(room, bulk_room) : room))
    },
    landed: async () => {
      await Promise.allSettled(flying)
    },
  }
}
