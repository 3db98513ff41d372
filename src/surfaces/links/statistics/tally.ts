/**
 * Adds up clicks. Only this code decides how a click counts. A bot is counted separately and in no
 * dimension. Each dimension of a link and day keeps a limited number of keys. All further keys are
 * counted together.
 */
import { dimensions, type CoarseContext, type Dimension } from '../clicks/context.ts'

export const keys_max = 1000
export const other_key = '_other'

export type Counts = Readonly<Record<string, number>>
/** The counts of each dimension, in the form of the row. */
export type Dimensions = Partial<Record<Dimension, Counts>>

export class Tally {
  clicks = 0
  bots = 0
  private readonly counts = new Map<Dimension, Map<string, number>>()

  add(context: CoarseContext, times: number): void {
    if (context.bot) {
      this.bots += times
      return
    }
    this.clicks += times
    for (const dimension of dimensions) {
      const key = context[dimension]
      if (key !== undefined) this.count(dimension, key, times)
    }
  }

  dimensions(): Dimensions {
    return Object.fromEntries(
      [...this.counts].map(([dimension, keys]) => [dimension, Object.fromEntries(keys)]),
    )
  }

  /** Adds the click's dimensions to the earlier counts. Their keys are kept. */
  onTopOf(before: Dimensions): Dimensions {
    const sum = new Tally()
    for (const counts of [before, this.dimensions()]) {
      for (const dimension of dimensions) {
        for (const [key, times] of Object.entries(counts[dimension] ?? {})) {
          sum.count(dimension, key, times)
        }
      }
    }
    return sum.dimensions()
  }

  private count(dimension: Dimension, key: string, times: number): void {
    let keys = this.counts.get(dimension)
    if (!keys) {
      keys = new Map()
      this.counts.set(dimension, keys)
    }
    const kept = keys.has(key) || keys.size < keys_max ? key : other_key
    keys.set(kept, (keys.get(kept) ?? 0) + times)
  }
}
