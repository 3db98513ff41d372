/** Counts lost clicks by day, and keeps the numbers until the database has them. */
import { dayOf, type Db } from '#dodeca/kernel'
import { storeLosses } from './store-batches.ts'

export class Losses {
  /** All clicks that were lost since the start. */
  clicks = 0
  private readonly days = new Map<number, number>()

  add(at_ms: number, clicks = 1): void {
    const day = dayOf(at_ms)
    this.clicks += clicks
    this.days.set(day, (this.days.get(day) ?? 0) + clicks)
  }

  get waits(): boolean {
    return this.days.size > 0
  }

  async report(db: Db): Promise<void> {
    if (!this.waits) return
    const pending = [...this.days]
    await storeLosses(db, new Map(pending))
    for (const [day, clicks] of pending) {
      const left = (this.days.get(day) ?? 0) - clicks
      if (left > 0) this.days.set(day, left)
      else this.days.delete(day)
    }
  }
}
