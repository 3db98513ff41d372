/**
 * The messages of all vendors as one list. Each vendor stores its own messages. Ids grow with time,
 * so merging and sorting the newest messages of each vendor gives the newest of all.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '#dodeca/kernel'
import type { OutsideWorld } from '../../kernel/outgoing/sandbox-control.ts'
import {
  inbox_channels,
  type InboxChannel,
  type InboxMessage,
  type MessageQuery,
} from './inbox-shapes.ts'

export type List<T> = { data: T[]; next_cursor: string | null; has_more: boolean }

/** Finds the vendor that stores the messages of a channel. */
export const vendors: Readonly<Record<InboxChannel, string>> = {
  email: 'mail',
  sms: 'sms',
  push: 'push',
}

const limit_default = 20
const search_max = 1000
const look_ms = 100

type Query = Omit<MessageQuery, 'wait_seconds' | 'after'>

export async function listMessages(
  outside: OutsideWorld,
  query: Query,
): Promise<List<InboxMessage>> {
  const { q, limit = limit_default, channel, ...filter } = query
  if (q !== undefined) return searchMessages(outside, { ...query, q })
  const lists = await Promise.all(
    inbox_channels
      .filter(one => channel === undefined || one === channel)
      .map(one =>
        outside.ask({
          vendor: vendors[one],
          method: 'GET',
          path: 'messages',
          query: { ...filter, limit },
        }),
      ),
  )
  const found = lists as List<InboxMessage>[]
  const all = found.flatMap(one => one.data).sort((a, b) => (a.id < b.id ? 1 : -1))
  const data = all.slice(0, limit)
  const has_more = all.length > limit || found.some(one => one.has_more)
  return { data, has_more, next_cursor: has_more ? (data.at(-1)?.id ?? null) : null }
}

/** Searches only the newest messages, because a journal on one machine is small. */
async function searchMessages(
  outside: OutsideWorld,
  { q, limit = limit_default, ...query }: Query & { q: string },
): Promise<List<InboxMessage>> {
  const wanted = q.toLowerCase()
  const data: InboxMessage[] = []
  let cursor = query.cursor
  for (let looked = 0; looked < search_max; looked += 100) {
    const page = await listMessages(outside, {
      ...query,
      ...(cursor === undefined ? {} : { cursor }),
      limit: 100,
    })
    for (const one of page.data) {
      const text = `${one.subject ?? ''}\n${one.text ?? ''}\n${one.to}`.toLowerCase()
      if (text.includes(wanted)) data.push(one)
      if (data.length === limit) return { data, has_more: true, next_cursor: one.id }
    }
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  return { data, has_more: false, next_cursor: null }
}

/**
 * Returns the list as soon as it contains a message newer than `after`. After the time limit the
 * unchanged list is returned.
 */
export async function waitForMessages(
  outside: OutsideWorld,
  { wait_seconds = 0, after, ...query }: MessageQuery,
  signal: AbortSignal,
): Promise<List<InboxMessage>> {
  const until = performance.now() + wait_seconds * 1000
  for (;;) {
    const found = await listMessages(outside, query)
    const [newest] = found.data
    const fresh = newest !== undefined && (after === undefined || newest.id > after)
    if (fresh || performance.now() >= until || signal.aborted) return found
    await pause(look_ms, undefined, { signal }).catch(() => {})
  }
}

/** Asks one vendor after the other for the message. */
export async function askOwner<T>(ask: (vendor: string) => Promise<T>): Promise<T> {
  let refusal: unknown
  for (const channel of inbox_channels) {
    try {
      return await ask(vendors[channel])
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error
      refusal = error
    }
  }
  throw refusal
}
