/**
 * Remembers the due times that this sender has set, so that a retry starts at its due time and does
 * not wait for the next scan of the database. Times are rounded to steps, so that ten thousand
 * retries within a minute need only a few hundred entries. A due time that is more than a minute
 * away is found by scanning.
 */
const step_ms = 25
const reach_ms = 60_000

export class DueTimes {
  private readonly steps = new Map<number, Set<string>>()
  private next = Infinity

  add(id: string, now_ms: number, delay_ms: number): void {
    if (delay_ms > reach_ms) return
    const step = Math.ceil((now_ms + delay_ms) / step_ms)
    const ids = this.steps.get(step) ?? new Set()
    this.steps.set(step, ids.add(id))
    this.next = Math.min(this.next, step)
  }

  /** Infinity if there is no due time. */
  inMs(now_ms: number): number {
    return Math.max(0, this.next * step_ms - now_ms)
  }

  /** The lanes whose time has come. */
  take(now_ms: number): string[] {
    if (this.next * step_ms > now_ms) return []
    const due = [...this.steps.keys()].filter(step => step * step_ms <= now_ms)
    const ids = due.flatMap(step => [...(this.steps.get(step) ?? [])])
    for (const step of due) this.steps.delete(step)
    this.next = Math.min(Infinity, ...this.steps.keys())
    return [...new Set(ids)]
  }
}
