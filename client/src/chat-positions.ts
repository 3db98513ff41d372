/**
 * Tracks the position of a device in each conversation, and decides which parts of a frame or of
 * fetched changes are new. A message is reported as created once, in the order of the sequences. If
 * a revision before a frame is missing, the changes are fetched instead.
 */
import type { ChatEvents, ChatMessage, ChatPositions } from './chat-types.ts'

export type MessageEvent = ChatEvents['message']

export type Head = {
  readonly conversation_id: string
  readonly latest_sequence: number
  readonly revision: number
}

export type Changes = {
  readonly data: readonly ChatMessage[]
  readonly members: readonly { readonly user_id: string }[]
  readonly revision: number
  readonly has_more: boolean
}

type Position = { sequence: number; revision: number }

export class Positions {
  private readonly known = new Map<string, Position>()
  /** A conversation that is created after the device has started is read from its beginning. */
  private begun: boolean

  constructor(resume: ChatPositions | undefined) {
    this.begun = resume !== undefined
    for (const [id, at] of Object.entries(resume ?? {})) this.known.set(id, { ...at })
  }

  all(): ChatPositions {
    return Object.fromEntries([...this.known].map(([id, at]) => [id, { ...at }]))
  }

  /** The conversations that are behind, and those that the person has left. */
  compare(heads: readonly Head[]): { readonly behind: string[]; readonly removed: string[] } {
    const there = new Map(heads.map(one => [one.conversation_id, one]))
    const removed = [...this.known.keys()].filter(id => !there.has(id))
    for (const id of removed) this.known.delete(id)
    const behind: string[] = []
    for (const [id, { latest_sequence, revision }] of there) {
      if (!this.begun) this.known.set(id, { sequence: latest_sequence, revision })
      else if (this.of(id).revision < revision) behind.push(id)
    }
    this.begun = true
    return { behind, removed }
  }

  forget(id: string): void {
    this.known.delete(id)
  }

  /** The revision after which changes must be fetched. */
  after(id: string): number {
    return this.of(id).revision
  }

  /** A change of the conversation itself. Returns false if earlier changes are missing. */
  moved(id: string, revision: number): boolean {
    const at = this.of(id)
    if (revision > at.revision + 1) return false
    at.revision = Math.max(at.revision, revision)
    return true
  }

  /** The new events in a live frame. Null if earlier changes are missing. */
  live(id: string, kind: MessageEvent['kind'], message: ChatMessage): MessageEvent[] | null {
    const at = this.of(id)
    if (message.revision <= at.revision) return []
    if (message.revision > at.revision + 1) return null
    at.revision = message.revision
    if (kind !== 'created') return [{ kind, conversation_id: id, message }]
    if (message.sequence <= at.sequence) return []
    at.sequence = message.sequence
    return [{ kind, conversation_id: id, message }]
  }

  /** The new events in all changes after `after(id)`. */
  fetched(id: string, pages: readonly Changes[]): MessageEvent[] {
    const at = this.of(id)
    // A message that changed between two pages is in both pages.
    const latest = new Map(pages.flatMap(page => page.data).map(one => [one.id, one]))
    const fresh = [...latest.values()].filter(one => one.sequence > at.sequence)
    const older = [...latest.values()].filter(one => one.sequence <= at.sequence)
    fresh.sort((a, b) => a.sequence - b.sequence)
    at.sequence = fresh.at(-1)?.sequence ?? at.sequence
    at.revision = Math.max(at.revision, pages.at(-1)?.revision ?? 0)
    return [
      ...fresh.map(message => ({ kind: 'created' as const, conversation_id: id, message })),
      ...older.map(message => ({
        kind: message.deleted_at === null ? ('updated' as const) : ('deleted' as const),
        conversation_id: id,
        message,
      })),
    ]
  }

  private of(id: string): Position {
    const known = this.known.get(id)
    if (known) return known
    const made = { sequence: 0, revision: 0 }
    this.known.set(id, made)
    return made
  }
}
