/**
 * Limits concurrent messages to one provider to the number of its connections. Bulk may use only a
 * part of them. A free connection goes to the most urgent waiting lane, so that a batch of any size
 * leaves room for urgent messages.
 */
export type Gate = {
  /** Resolves when there is room, with a function that releases it. */
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
