/**
 * The messages that are loaded: one range of sequences without a gap, oldest first. The same message
 * may come as a page, as a live event and as the reply to its sending; the newest state of it stays.
 */
import type { ChatMessage } from '../../src/index.ts'

export type Timeline = readonly ChatMessage[]

export function merged(known: Timeline, found: Timeline): Timeline {
  const all = new Map(known.map(one => [one.sequence, one]))
  for (const one of found) {
    const before = all.get(one.sequence)
    if (!before || before.revision <= one.revision) all.set(one.sequence, one)
  }
  return [...all.values()].sort((a, b) => a.sequence - b.sequence)
}

/** A change of a message before the range would make a gap; it is read with its page. */
export function withChange(known: Timeline, message: ChatMessage): Timeline {
  const first = known[0]?.sequence ?? 0
  return message.sequence < first ? known : merged(known, [message])
}
