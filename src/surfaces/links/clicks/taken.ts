/**
 * Clicks that were just recorded, in three lists that are used again and again. A redirect
 * allocates nothing for its click, so it causes no garbage collection.
 */
import type { Clicked, Visitor } from './visitor.ts'

export class Taken {
  size = 0
  private readonly clicked: (Clicked | null)[] = []
  private readonly visitors: (Visitor | null)[] = []
  private readonly at_ms: number[] = []

  get first_ms(): number | null {
    return this.size > 0 ? (this.at_ms[0] ?? null) : null
  }

  add(clicked: Clicked, visitor: Visitor, at_ms: number): void {
    const place = this.size++
    this.clicked[place] = clicked
    this.visitors[place] = visitor
    this.at_ms[place] = at_ms
  }

  /** Passes each click to `take` and empties the lists. */
  drain(take: (clicked: Clicked, visitor: Visitor, at_ms: number) => void): void {
    const { clicked, visitors, at_ms, size } = this
    this.size = 0
    for (let place = 0; place < size; place++) {
      const link = clicked[place]
      const visitor = visitors[place]
      if (link && visitor) take(link, visitor, at_ms[place] ?? 0)
    }
    clicked.fill(null)
    visitors.fill(null)
  }
}
