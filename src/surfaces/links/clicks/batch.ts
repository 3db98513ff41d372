/**
 * Clicks that are stored together or not at all. Links and contexts are listed once. Each click
 * refers to them by number, so that it needs only a few bytes. The id of each event is made from
 * its batch, its time and its index. So a batch that is sent twice has the same ids, and the
 * database refuses the second copy.
 */
import type { Clicked } from './visitor.ts'

export type Batch = {
  readonly id: string
  readonly links: readonly (readonly [domain_id: string, code: string])[]
  readonly contexts: readonly string[]
  /**
   * Each list has one entry for each click: the index of its link, the index of its context, and
   * its time in milliseconds since the epoch.
   */
  readonly link: readonly number[]
  readonly context: readonly number[]
  readonly at_ms: readonly number[]
}

/** The id of an event contains its index as four hexadecimal digits. */
export const batch_clicks_max = 65_536

export class BatchBuilder {
  private readonly links: [string, string][] = []
  private readonly contexts: string[] = []
  private readonly numberOfLink = new Map<Clicked, number>()
  private readonly numberOfContext = new Map<string, number>()
  private readonly link: number[] = []
  private readonly context: number[] = []
  private readonly at_ms: number[] = []

  get size(): number {
    return this.at_ms.length
  }

  add(clicked: Clicked, context: string, at_ms: number): void {
    let link = this.numberOfLink.get(clicked)
    if (link === undefined) {
      link = this.links.push([clicked.domain_id, clicked.code]) - 1
      this.numberOfLink.set(clicked, link)
    }
    let number = this.numberOfContext.get(context)
    if (number === undefined) {
      number = this.contexts.push(context) - 1
      this.numberOfContext.set(context, number)
    }
    this.link.push(link)
    this.context.push(number)
    this.at_ms.push(at_ms)
  }

  build(id: string): Batch {
    const { links, contexts, link, context, at_ms } = this
    return { id, links, contexts, link, context, at_ms }
  }
}

/** A UUIDv7 with the click's own time. Its random part comes from the batch. */
export function eventId(batch_id: string, at_ms: number, place: number): string {
  const time = at_ms.toString(16).padStart(12, '0')
  const last = place.toString(16).padStart(4, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${batch_id.slice(14, 32)}${last}`
}
