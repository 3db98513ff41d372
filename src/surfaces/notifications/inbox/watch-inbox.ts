/**
 * An inbox as a stream of events. The ids of the events are positions in the inbox's sequence, so
 * that a reader that reconnects with the last id misses nothing. A reader that was away for too
 * long gets `inbox.reset` and reads the list again. At each wake-up, one statement finds which of
 * all open streams of the process have new items.
 */
import { Type } from 'typebox'
import { Id, sql, type Db, type SseEvent } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { inbox_topic } from '../topics.ts'
import { changedSince, lastSequence, unreadCount, type Whose } from './read-inbox.ts'
import type { InboxItem } from './schemas.ts'

export type InboxStreams = {
  open(whose: Whose, after: number | null, signal: AbortSignal): AsyncIterable<SseEvent>
  close(): void
}

type Stream = Whose & {
  seen: number
  /** Whether its place seemed to lie behind the end of the inbox. */
  ahead: boolean
  notify(): void
  end(): void
}

const poll_ms = 2000
const life_ms = 3_600_000
const replay_max = 500
const Moved = Type.Object({ tenant_id: Id, user_id: Id, last_sequence: Type.Integer() })

export function openInboxStreams({ db, log, onWake, settings }: Kernel): InboxStreams {
  const streams = new Set<Stream>()
  const most = settings['notifications.streams_per_user']
  let looking = false
  let again = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    again = looking
    if (looking || streams.size === 0) return
    looking = true
    try {
      do {
        again = false
        await notifyMoved(db, [...streams])
      } while (again)
    } catch (error) {
      log.warn({ err: error }, 'inboxes could not be read; it is tried again')
    } finally {
      looking = false
    }
  }
  const off = onWake(() => void look(), [inbox_topic])
  const add = (stream: Stream) => {
    streams.add(stream)
    timer ??= setInterval(() => void look(), poll_ms)
    const own = [...streams].filter(one => one.user_id === stream.user_id)
    // Closes the oldest stream, because it is probably not read any more.
    if (own.length > most) own[0]?.end()
  }
  const remove = (stream: Stream) => {
    streams.delete(stream)
    if (streams.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    open: (whose, after, signal) => watch(db, whose, after, signal, { add, remove }),
    close: () => {
      off()
      clearInterval(timer)
      for (const stream of streams) stream.end()
    },
  }
}

async function notifyMoved(db: Db, streams: readonly Stream[]): Promise<void> {
  const rows = await db.many(
    Moved,
    sql`
      select i.tenant_id, i.user_id, i.last_sequence
      from (select distinct * from unnest(${streams.map(one => one.tenant_id)}::uuid[],
        ${streams.map(one => one.user_id)}::uuid[]) w (tenant_id, user_id)) w
      join notifications.inboxes i on i.tenant_id = w.tenant_id and i.user_id = w.user_id`,
  )
  const last = new Map(rows.map(row => [`${row.tenant_id} ${row.user_id}`, row.last_sequence]))
  for (const one of streams) {
    const end = last.get(`${one.tenant_id} ${one.user_id}`) ?? 0
    one.ahead = end < one.seen
    if (end !== one.seen) one.notify()
  }
}

type Register = { add(stream: Stream): void; remove(stream: Stream): void }

async function* watch(
  db: Db,
  whose: Whose,
  after: number | null,
  signal: AbortSignal,
  { add, remove }: Register,
): AsyncGenerator<SseEvent, void> {
  const end = new AbortController()
  const over = AbortSignal.any([signal, end.signal, AbortSignal.timeout(life_ms)])
  let moved = Promise.withResolvers<boolean>()
  const last = await lastSequence(db, whose)
  const start = after !== null && after <= last ? after : last
  const stream: Stream = {
    ...whose,
    seen: start,
    ahead: false,
    notify: () => moved.resolve(true),
    end: () => end.abort(),
  }
  add(stream)
  over.addEventListener('abort', () => moved.resolve(false), { once: true })
  try {
    if (last - start > replay_max) {
      stream.seen = last
      yield { event: 'inbox.reset', data: { sequence: last }, id: String(last) }
    }
    yield await unread(db, whose, stream.seen)
    while (!over.aborted) {
      moved = Promise.withResolvers()
      if (over.aborted) break
      const items = await changedSince(db, whose, stream.seen, replay_max)
      if (items.length === replay_max) {
        stream.seen = await lastSequence(db, whose)
        yield { event: 'inbox.reset', data: { sequence: stream.seen }, id: String(stream.seen) }
        continue
      }
      for (const [at, { changed, ...item }] of items.entries()) {
        // Items that changed together share a number. A reader that leaves between them gets all of
        // them again.
        const is_last = items[at + 1]?.changed !== changed
        yield eventOf(item, changed, is_last ? changed : stream.seen)
        if (is_last) stream.seen = changed
      }
      if (items.length > 0) yield await unread(db, whose, stream.seen)
      else if (stream.ahead && (await lastSequence(db, whose)) < stream.seen) {
        // A standby that lacks the last items has taken over.
        stream.seen = await lastSequence(db, whose)
        yield { event: 'inbox.reset', data: { sequence: stream.seen }, id: String(stream.seen) }
      } else await moved.promise
    }
    yield { event: 'stream.expired', data: {}, id: String(stream.seen), terminal: true }
  } finally {
    remove(stream)
  }
}

async function unread(db: Db, whose: Whose, place: number): Promise<SseEvent> {
  return { event: 'inbox.unread', data: { count: await unreadCount(db, whose) }, id: String(place) }
}

function eventOf(item: InboxItem, changed: number, place: number): SseEvent {
  const id = String(place)
  if (item.sequence === changed) return { event: 'inbox.item', data: { item }, id }
  const { read_at, archived_at } = item
  return { event: 'inbox.updated', data: { id: item.id, read_at, archived_at }, id }
}
