/**
 * The sums of one batch that wait for the daily statistics: one number for each combination of
 * link, context and day.
 */
import { Type, type Static } from 'typebox'
import { dayOf } from '#dodeca/kernel'
import type { Batch } from '../clicks/batch.ts'

export const BatchCounts = Type.Object({
  links: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  /** Each entry is a coarse context as JSON. */
  contexts: Type.Array(Type.String()),
  /** Four numbers for each entry: link, context, day since the epoch, clicks. */
  counts: Type.Array(Type.Integer()),
})
export type BatchCounts = Static<typeof BatchCounts>

export function countsOf({ links, contexts, link, context, at_ms }: Batch): string {
  const first_day = at_ms.reduce((least, at) => Math.min(least, dayOf(at)), Infinity)
  const times = new Map<number, number>()
  // One number encodes day, link and context. This works because a batch spans few days, and the
  // size of a batch limits every factor.
  for (let at = 0; at < at_ms.length; at++) {
    const day = dayOf(at_ms[at] ?? 0) - first_day
    const key = (day * links.length + (link[at] ?? 0)) * contexts.length + (context[at] ?? 0)
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  const counts: number[] = []
  for (const [key, clicks] of times) {
    const linked = Math.floor(key / contexts.length)
    const day = Math.floor(linked / links.length)
    counts.push(linked % links.length, key % contexts.length, first_day + day, clicks)
  }
  return JSON.stringify({ links, contexts, counts })
}
