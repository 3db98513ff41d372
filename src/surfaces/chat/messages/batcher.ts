/**
 * Collects sends of this process into commits. A send goes out at once while fewer than two commits are under
 * way, and otherwise with the next one; there is no timer, so load makes batches by itself. A conversation is
 * in at most one commit at a time, and its later sends wait for it. A batch that fails as a whole is tried
 * again one message at a time under the same keys, so an unknown outcome is resolved and never repeated.
 */
import { isUnavailable } from '../../../kernel/database/failures.ts'
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

export type Batcher = {
  send(draft: Draft): Promise<Sent>
  /** Messages of one commit, after it. */
  onSent(listener: (sent: readonly (readonly [Draft, Sent])[]) => void): void
}

type Item = {
  readonly draft: Draft
  readonly resolve: (sent: Sent) => void
  readonly reject: (error: unknown) => void
}

export function openBatcher(deps: AppendDeps): Batcher {
  const waiting = new Map<string, Item[]>()
  const busy = new Set<string>()
  let flushes = 0
  let listener: (sent: readonly (readonly [Draft, Sent])[]) => void = () => {}

  const settle = (items: readonly Item[], results: readonly Appending[]): Item[] => {
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
    if (fresh.length > 0) listener(fresh)
    return left
  }

  const alone = async (items: readonly Item[], batch: boolean) => {
    try {
      settle(
        items,
        await appendMessages(
          deps,
          items.map(one => one.draft),
          true,
        ),
      )
    } catch (error) {
      if (items.length > 1) for (const item of items) await alone([item], true)
      else if (batch && isUnavailable(error)) await alone(items, false)
      else for (const item of items) item.reject(error)
    }
  }

  /** Conversations that another process holds wait each on its own, and hold nobody up. */
  const finish = async (items: readonly Item[], left: readonly Item[]) => {
    const held = Map.groupBy(left, keyOf)
    for (const key of new Set(items.map(keyOf))) if (!held.has(key)) busy.delete(key)
    for (const [key, some] of held) {
      void alone(some, true).finally(() => {
        busy.delete(key)
        pump()
      })
    }
  }

  const flush = async (items: readonly Item[]) => {
    let left: readonly Item[] = []
    try {
      const drafts = items.map(one => one.draft)
      left = settle(items, await appendMessages(deps, drafts, false))
    } catch {
      for (const item of items) await alone([item], true)
    }
    await finish(items, left)
  }

  const pump = () => {
    while (flushes < flushes_max) {
      const items = take(waiting, busy)
      if (items.length === 0) return
      flushes++
      void flush(items).finally(() => {
        flushes--
        pump()
      })
    }
  }

  return {
    onSent: given => {
      listener = given
    },
    send: draft =>
      new Promise((resolve, reject) => {
        const item = { draft, resolve, reject }
        const key = keyOf(item)
        const line = waiting.get(key)
        if (line) line.push(item)
        else waiting.set(key, [item])
        pump()
      }),
  }
}

function keyOf({ draft: { tenant_id, conversation_id } }: Item): string {
  return `${tenant_id} ${conversation_id}`
}

/** The next batch: whole conversations in the order of their first waiting send. */
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

/** Attachments and keys are taken once: two items of one statement would not see each other. */
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
