/**
 * The sequencer's memory about the numbers in the staging table: the highest number taken, and the
 * ranges below it that were still missing. The sequencer reads only these ranges and the higher
 * numbers. So a batch stays cheap even while a transaction is open for long and deleted rows cannot
 * be vacuumed. A range is dropped when no number of it can appear any more: every transaction that
 * ran when the range was first seen has ended.
 */
export type Gap = { low: number; high: number; horizon: number }

/** The numbers and transactions in the snapshot of one batch. */
export type Seen = {
  /** The numbers taken, in ascending order. */
  readonly taken: readonly number[]
  readonly full: boolean
  /** The oldest transaction that was still running. */
  readonly xmin: number
  /**
   * Our own transaction id. A transaction that took a number below one that we can see has an older
   * id than ours.
   */
  readonly xid: number
}

export class Gaps {
  last: number
  private gaps: Gap[]

  /**
   * A new leader knows nothing about `1..last`. So this range stays one gap until all transactions
   * that run now have ended.
   */
  constructor(last: number, horizon: number) {
    this.last = last
    this.gaps = last > 0 ? [{ low: 1, high: last, horizon }] : []
  }

  get ranges(): readonly Gap[] {
    return this.gaps
  }

  learn({ taken, full, xmin, xid }: Seen): void {
    const highest = taken.at(-1) ?? 0
    const read_through = full ? highest : Infinity
    let next = 0
    const kept: Gap[] = []
    const keep = (low: number, high: number, horizon: number) => {
      if (low > high) return
      if (horizon <= xmin && high < read_through) return
      kept.push({ low, high, horizon })
    }
    for (const { low, high, horizon } of this.gaps) {
      let from = low
      for (; next < taken.length && (taken[next] ?? 0) <= high; next++) {
        const seq = taken[next] ?? 0
        keep(from, seq - 1, horizon)
        from = seq + 1
      }
      keep(from, high, horizon)
    }
    for (; next < taken.length; next++) {
      const seq = taken[next] ?? 0
      keep(this.last + 1, seq - 1, xid)
      this.last = seq
    }
    this.gaps = kept
  }
}
