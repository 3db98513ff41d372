/**
 * How many messages are under way to one provider: as many as it has connections. Bulk takes a part of them
 * at most, and when one is free the most urgent lane that waits goes first, so a batch of any size leaves
 * room for what is urgent.
 */
export type Gate = {
  /** Resolves when there is room; what it returns gives the room back. */
  enter(lane: number): Promise<() => void>
}

const bulk_lane = 3
const lanes = 4

export function openGate(places: number, bulk_share: number): Gate {
  const bulk_places = Math.max(1, Math.floor(places * bulk_share))
  const waiting: (() => void)[][] = Array.from({ length: lanes }, () => [])
  let taken = 0
  let bulk = 0
  const fits = (lane: number) => taken < places && (lane !== bulk_lane || bulk < bulk_places)
  const admit = (lane: number): (() => void) => {
    taken++
    if (lane === bulk_lane) bulk++
    let left = false
    return () => {
      if (left) return
      left = true
      taken--
      if (lane === bulk_lane) bulk--
      const next = waiting.findIndex((all, index) => all.length > 0 && fits(index))
      waiting[next]?.shift()?.()
    }
  }
  return {
    enter: lane => {
      if (fits(lane) && waiting.slice(0, lane + 1).every(all => all.length === 0)) {
        return Promise.resolve(admit(lane))
      }
      return new Promise(resolve => {
        waiting[lane]?.push(() => resolve(admit(lane)))
      })
    },
  }
}
