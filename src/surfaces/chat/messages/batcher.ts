/**
 * Collects the sends of this process into transactions. A send starts a transaction immediately
 * while fewer than two are running; otherwise it joins the next one. There is no timer: batches
 * grow with the load. A conversation is in at most one transaction at a time, and its later sends
 * wait for it. If a whole batch fails, its messages are sent again one at a time with the same
 * keys. So an unknown outcome is resolved and never repeated. Without it 64 senders at a time get
 * 500 messages a second stored instead of 4,300.
 */
import { isUnavailable, SqlState } from '#dodeca/kernel'
import {
  appendMessages,
  type AppendDeps,
  type Appending,
  type Draft,
  type Sent,
} from './append-messages.ts'

const flushes_max = 2
const items_max = 256
const bytes_max = 512 * 1024

type Item = {
  readonly draft: Draft
  readonly resolve: (sent: Sent) => void
  readonly reject: (error: unknown) => void
}

type Outage = { readonly error: unknown } | null

/** A message that waited too long for the lock of its conversation says nothing about the others. */
function isOutage(error: unknown): boolean {
  const own = error instanceof SqlState && /^(40001|40P01|55P03|57014)$/.test(error.code)
  return isUnavailable(error) && !own
}

export class Batcher {
  private readonly deps: AppendDeps
  private readonly committed: (sent: readonly (readonly [Draft, Sent])[]) => void
  private readonly waiting = new Map<string, Item[]>()
  private readonly busy = new Set<string>()
  private flushes = 0

  /** `committed` receives the messages of each transaction after its commit. */
  constructor(deps: AppendDeps, committed: (sent: readonly (readonly [Draft, Sent])[]) => void) {
    this.deps = deps
    this.committed = committed
  }

  send(draft: Draft): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const item = { draft, resolve, reject }
      const key = keyOf(item)
      const line = this.waiting.get(key)
      if (line) line.push(item)
      else this.waiting.set(key, [item])
      this.pump()
    })
  }

  private pump(): void {
    while (this.flushes < flushes_max) {
      const items = take(this.waiting, this.busy)
      if (items.length === 0) return
      this.flushes++
      void this.flush(items).finally(() => {
        this.flushes--
        this.pump()
      })
    }
  }

  private async flush(items: readonly Item[]): Promise<void> {
    let left: readonly Item[] = []
    try {
      const drafts = items.map(one => one.draft)
      left = this.settle(items, await appendMessages(this.deps, drafts, false))
    } catch {
      await this.oneByOne(items)
    }
    this.release(items, left)
  }

  /**
   * Each conversation that another process has locked waits separately and delays no other
   * conversation.
   */
  private release(items: readonly Item[], left: readonly Item[]): void {
    const held = Map.groupBy(left, keyOf)
    for (const key of new Set(items.map(keyOf))) if (!held.has(key)) this.busy.delete(key)
    for (const [key, some] of held) {
      void this.alone(some, true).finally(() => {
        this.busy.delete(key)
        this.pump()
      })
    }
  }

  private async alone(items: readonly Item[], again: boolean): Promise<Outage> {
    try {
      const drafts = items.map(one => one.draft)
      this.settle(items, await appendMessages(this.deps, drafts, true))
      return null
    } catch (error) {
      if (items.length > 1) return await this.oneByOne(items)
      if (again && isUnavailable(error)) return await this.alone(items, false)
      for (const item of items) item.reject(error)
      return isOutage(error) ? { error } : null
    }
  }

  /**
   * While the database cannot be reached, the others would wait for it one after the other, so they
   * get the same error at once.
   */
  private async oneByOne(items: readonly Item[]): Promise<Outage> {
    let outage: Outage = null
    for (const item of items) {
      if (outage) item.reject(outage.error)
      else outage = await this.alone([item], true)
    }
    return outage
  }

  /** Returns the items whose conversation is locked by another process. */
  private settle(items: readonly Item[], results: readonly Appending[]): Item[] {
    const fresh: (readonly [Draft, Sent])[] = []
    const left: Item[] = []
    for (const [at, item] of items.entries()) {
      const result = results[at]
      if (result === 'busy' || result === undefined) left.push(item)
      else if (result instanceof Error) item.reject(result)
      else {
        if (!result.deduplicated) fresh.push([item.draft, result])
        item.resolve(result)
      }
    }
    if (fresh.length > 0) this.committed(fresh)
    return left
  }
}

function keyOf({ draft: { tenant_id, conversation_id } }: Item): string {
  return `${tenant_id} ${conversation_id}`
}

/** The next batch: whole conversations, in the order of their first waiting send. */
function take(waiting: Map<string, Item[]>, busy: Set<string>): Item[] {
  const items: Item[] = []
  let bytes = 0
  for (const [key, line] of waiting) {
    if (busy.has(key)) continue
    const room = items_max - items.length
    if (room <= 0 || bytes > bytes_max) break
    const some = nextOf(line, room)
    line.splice(0, some.length)
    waiting.delete(key)
    if (line.length > 0) waiting.set(key, line)
    busy.add(key)
    for (const { draft } of some) bytes += 3 * (draft.body?.length ?? 0)
    items.push(...some)
  }
  return items
}

/**
 * A batch contains each attachment and each key only once, because two items of one statement do
 * not see each other.
 */
function nextOf(line: readonly Item[], room: number): Item[] {
  const keys = new Set<string>()
  const some: Item[] = []
  for (const item of line) {
    const { sender_id, client_request_id, attachment_ids } = item.draft
    const key = `${sender_id} ${client_request_id}`
    if (some.length === room || keys.has(key)) break
    if (attachment_ids.length > 0 && some.length > 0) break
    some.push(item)
    keys.add(key)
    if (attachment_ids.length > 0) break
  }
  return some
}
