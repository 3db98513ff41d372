/**
 * What the servers of one vendor received: messages, and one request for each attempt to send a
 * message. Everything is in the journal before the sender gets a reply. Memory holds only what
 * look-ups need. The newest 10,000 of each kind are kept, for at most 7 days.
 */
import { join } from 'node:path'
import { newId, openClock, rfc3339, type Clock } from '#dodeca/kernel'
import { openJournal, type Journal, type Place } from './journal.ts'
import { rawText } from './parse-mail.ts'
import type { Message, Parsed } from './message.ts'

export type Envelope = {
  provider: string
  from: string
  to: string[]
  channel?: Message['channel']
  /** The address to which the sender wants delivery reports. */
  report_to?: string
}

/** One attempt: its result, and the reply to the client (null if the client got none). */
export type Request = {
  id: string
  provider: string
  from: string
  to: string
  outcome: 'accepted' | 'refused' | 'discarded'
  status: number | null
  fault: string | null
  message_id: string | null
  received_at: string
}

export type Filter = { to?: string; provider?: string; ref?: string; channel?: string }
export type Page<T> = { data: T[]; next_cursor: string | null; has_more: boolean }

export type Mailbox = {
  accept(envelope: Envelope, parsed: Parsed, raw: Buffer): Message
  record(
    envelope: Envelope,
    what: Pick<Request, 'outcome' | 'status' | 'fault' | 'message_id'>,
  ): void
  messages(filter: Filter, cursor: string | undefined, limit: number): Page<Message>
  requests(filter: Filter, cursor: string | undefined, limit: number): Page<Request>
  message(id: string): (Message & { raw: string; report_to: string | null }) | undefined
  forget(filter: Filter): void
  reset(): void
  close(): void
}

type Entry =
  | { kind: 'message'; message: Message; to: string[]; raw: string; report_to?: string | null }
  | { kind: 'request'; request: Request; to: string[] }
type Known = {
  id: string
  channel: string
  provider: string
  to: string[]
  ref: string | null
  place: Place
}
type Shelf = { known: Known[] }
type Kind = Entry['kind']

const entries_max = 10_000
const age_max_ms = 7 * 86_400_000
/** The journal is rewritten when it has this many lines without a use. */
const dead_lines_max = 2 * entries_max

export function openMailbox(folder: string, clock: Clock): Mailbox {
  const shelves = openShelves(join(folder, 'journal.jsonl'))
  const stamp = () => ({ id: newId(), received_at: rfc3339(clock.nowMs()) })
  return {
    accept: ({ provider, from, to, channel = 'email', report_to }, parsed, raw) => {
      const { id, received_at } = stamp()
      const message: Message = {
        id,
        channel,
        provider,
        from,
        to: to.join(', '),
        ...parsed,
        received_at,
      }
      shelves.add({
        kind: 'message',
        message,
        to,
        raw: raw.toString('base64'),
        report_to: report_to ?? null,
      })
      return message
    },
    record: ({ provider, from, to }, what) => {
      const { id, received_at } = stamp()
      const request = { id, provider, from, to: to.join(', '), ...what, received_at }
      shelves.add({ kind: 'request', request, to })
    },
    messages: (filter, cursor, limit) =>
      page(
        shelves.known('message'),
        filter,
        cursor,
        limit,
        known => shelves.message(known).message,
      ),
    requests: (filter, cursor, limit) =>
      page(
        shelves.known('request'),
        filter,
        cursor,
        limit,
        known => shelves.request(known).request,
      ),
    message: id => {
      const known = shelves.known('message').find(one => one.id === id)
      if (!known) return undefined
      const { message, raw, report_to = null } = shelves.message(known)
      return { ...message, raw: rawText(Buffer.from(raw, 'base64')), report_to }
    },
    forget: filter => shelves.keep('message', known => !isWanted(known, filter)),
    reset: () => {
      shelves.keep('message', () => false)
      shelves.keep('request', () => false)
    },
    close: () => shelves.close(),
  }
}

type Shelves = {
  add(entry: Entry): void
  known(kind: Kind): readonly Known[]
  message(known: Known): MessageEntry
  request(known: Known): RequestEntry
  /** Removes all other entries of this kind, on the disk too. */
  keep(kind: Kind, isKept: (known: Known) => boolean): void
  close(): void
}

function openShelves(file: string): Shelves {
  const real = openClock()
  const shelves: Record<Kind, Shelf> = { message: { known: [] }, request: { known: [] } }
  const all = [shelves.message, shelves.request]
  let lines = 0
  const dead = () => lines - shelves.message.known.length - shelves.request.known.length
  const note = (entry: Entry, place: Place) => {
    const { id, provider } = entry.kind === 'message' ? entry.message : entry.request
    const ref = entry.kind === 'message' ? entry.message.ref : null
    const channel = entry.kind === 'message' ? entry.message.channel : ''
    shelves[entry.kind].known.push({ id, channel, provider, to: entry.to.map(lower), ref, place })
    lines++
  }
  const journal = openJournal({
    file,
    nowMs: () => real.nowMs(),
    replay: (entry, place) => note(entry as Entry, place),
  })
  const compact = () => {
    lines = rewrite(journal, all)
  }
  for (const shelf of all) trim(shelf, real.nowMs())
  if (dead() > 0) compact()
  return {
    add: entry => {
      note(entry, journal.append(entry))
      trim(shelves[entry.kind], real.nowMs())
      if (dead() > dead_lines_max) compact()
    },
    known: kind => shelves[kind].known,
    message: known => journal.read(known.place) as MessageEntry,
    request: known => journal.read(known.place) as RequestEntry,
    keep: (kind, isKept) => {
      shelves[kind].known = shelves[kind].known.filter(isKept)
      compact()
    },
    close: () => journal.close(),
  }
}

type MessageEntry = Extract<Entry, { kind: 'message' }>
type RequestEntry = Extract<Entry, { kind: 'request' }>

function trim(shelf: Shelf, now_ms: number): void {
  const { known } = shelf
  let drop = Math.max(0, known.length - entries_max)
  while (drop < known.length && now_ms - (known[drop]?.place.at_ms ?? 0) > age_max_ms) drop++
  if (drop > 0) shelf.known = known.slice(drop)
}

/** Returns the number of lines that remain. */
function rewrite(journal: Journal, shelves: readonly Shelf[]): number {
  const all = shelves.flatMap(shelf => shelf.known).sort((a, b) => a.place.start - b.place.start)
  const moved = journal.keepOnly(all.map(one => one.place))
  all.forEach((one, index) => {
    one.place = moved[index] ?? one.place
  })
  return all.length
}

function page<T>(
  all: readonly Known[],
  filter: Filter,
  cursor: string | undefined,
  limit: number,
  read: (known: Known) => T,
): Page<T> {
  const found: Known[] = []
  let index = all.length - 1
  // Ids grow with time, so a cursor of another vendor's list gives the position here too.
  while (cursor !== undefined && index >= 0 && (all[index]?.id ?? '') >= cursor) index--
  for (; index >= 0 && found.length <= limit; index--) {
    const known = all[index]
    if (known && isWanted(known, filter)) found.push(known)
  }
  const has_more = found.length > limit
  const shown = found.slice(0, limit)
  return {
    data: shown.map(read),
    next_cursor: has_more ? (shown.at(-1)?.id ?? null) : null,
    has_more,
  }
}

function isWanted(known: Known, { to, provider, ref, channel }: Filter): boolean {
  return (
    (channel === undefined || known.channel === '' || known.channel === channel) &&
    (provider === undefined || known.provider === provider) &&
    (ref === undefined || known.ref === ref) &&
    (to === undefined || known.to.includes(lower(to)))
  )
}

function lower(text: string): string {
  return text.toLowerCase()
}
