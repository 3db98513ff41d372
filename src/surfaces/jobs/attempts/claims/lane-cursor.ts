/**
 * The position at which a runner continues in one lane. Claimed rows stay in the index until vacuum
 * may remove them, and a long transaction elsewhere can delay that for hours. A claim that starts
 * at the front would read all of them. So a lane stores, for each rank, the key of the last row
 * that it took, and requests only rows behind that key. Rows that appear before those keys (after a
 * late commit) are found by a scan from the front. That scan runs as soon as the cursor returns too
 * few rows, and once a second, unless it has become slow.
 */
import { nil_id } from '#dodeca/kernel'
import { openRests } from './scan-backoff.ts'

export type Key = { readonly rank: number; readonly ready_at: string; readonly job_id: string }

/** Rows after the key `from`, with ranks up to `to_rank`. */
export type Stretch = { readonly from: Key; readonly to_rank: number }

export type Claim = {
  /**
   * The ranges are in order and do not overlap. One range over everything is a scan from the front.
   */
  readonly stretches: readonly Stretch[]
  readonly from_front: boolean
  readonly began_ms: number
}

/**
 * `more`: the lane returned as many rows as requested. `short`: scan from the front next. `empty`:
 * no row is left.
 */
export type Found = 'more' | 'short' | 'empty'

export type LaneCursor = {
  next(now_ms: number): Claim
  /** `keys` have the order of the lane. `wanted` is how many rows the claim requested. */
  took(claim: Claim, keys: readonly Key[], wanted: number, now_ms: number): Found
}

const first: Key = { rank: -32_768, ready_at: '-infinity', job_id: nil_id }
const last_rank = 32_767
const whole: readonly Stretch[] = [{ from: first, to_rank: last_rank }]
const front_every_ms = 1000

export function openLaneCursor(): LaneCursor {
  const taken = new Map<number, Key>()
  const rests = openRests()
  let front_due_ms = Number.NEGATIVE_INFINITY
  let was_short = true
  return {
    next: now_ms => {
      const from_front = rests.rested(now_ms) && (was_short || now_ms >= front_due_ms)
      return { from_front, stretches: from_front ? whole : behind(taken), began_ms: now_ms }
    },
    took: ({ from_front, began_ms }, keys, wanted, now_ms) => {
      if (from_front) {
        rests.ran(began_ms, now_ms)
        front_due_ms = now_ms + front_every_ms
      }
      // If a batch ends before the old key, there are more rows behind it. So the cursor moves
      // back.
      for (const key of keys) taken.set(key.rank, key)
      was_short = keys.length < wanted
      if (!was_short) return 'more'
      return from_front ? 'empty' : 'short'
    },
  }
}

/** From each rank's key up to the next rank that has a key. */
function behind(taken: ReadonlyMap<number, Key>): readonly Stretch[] {
  const keys = [first, ...[...taken.values()].sort((a, b) => a.rank - b.rank)]
  return keys.map((from, at) => ({ from, to_rank: (keys[at + 1]?.rank ?? last_rank + 1) - 1 }))
}

/**
 * The cursors of the lanes from which one process has claimed. The most recently used ones are
 * kept.
 */
export type Cursors = { of(lane: string): LaneCursor }

const cursors_max = 5000

export function openLaneCursors(): Cursors {
  const cursors = new Map<string, LaneCursor>()
  return {
    of: lane => {
      const cursor = cursors.get(lane) ?? openLaneCursor()
      // A Map keeps the order of insertion, so the first lane is the one that has been unused for
      // the longest time.
      cursors.delete(lane)
      cursors.set(lane, cursor)
      for (const oldest of cursors.keys()) {
        if (cursors.size <= cursors_max) break
        cursors.delete(oldest)
      }
      return cursor
    },
  }
}
