/**
 * What the mail servers received: messages, and one request for each try to hand one over.
 * Everything is in the journal before the sender hears of it; memory holds only what look-ups need.
 * The newest 10,000 of each kind are kept, for at most 7 days.
 */
import { join } from 'node:path'
import { openClock, rfc3339, type Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { openJournal, type Journal, type Place } from '../journal.ts'
import { rawText, type Message, type Parsed } from './message.ts'

export type Envelope = { provider: string; from: string; to: string[] }

/** One try: what became of it, and what the client was told (null: it was told nothing). */
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
  message(id: string): (Message & { raw: string }) | undefined
  forget(filter: Filter): void
  reset(): void
  close(): void
}

type Entry =
  | { kind: 'message'; message: Message; to: string[]; raw: string }
  | { kind: 'request'; request: Request; to: string[] }
type Known = { id: string; provider: string; to: string[]; ref: string | null; place: Place }
type Shelf = { known: Known[] }

const entries_max = 10_000
const age_max_ms = 7 * 86_400_000
/** Lines that nobody can read any more, beyond which the journal is written anew. */
const dead_lines_max = 2 * entries_max

export function openMailbox(folder: string, clock: Clock): Mailbox {
  const real = openClock()
  const shelves = { message: { known: [] as Known[] }, request: { known: [] as Known[] } }
  let lines = 0
  const journal = openJournal({
    file: join(folder, 'journal.jsonl'),
    nowMs: () => real.nowMs(),
    replay: (entry, place) => note(entry as Entry, place),
  })
  function note(entry: Entry, place: Place): void {
    const { id, provider } = entry.kind === 'message' ? entry.message : entry.request
    const ref = entry.kind === 'message' ? entry.message.ref : null
    shelves[entry.kind].known.push({ id, provider, to: entry.to.map(lower), ref, place })
    lines++
  }
  const add = (entry: Entry) => {
    note(entry, journal.append(entry))
    trim(shelves[entry.kind], real.nowMs())
    if (lines > shelves.message.known.length + shelves.request.known.length + dead_lines_max)
      compact()
  }
  const compact = () => {
    lines = rewrite(journal, [shelves.message, shelves.request])
  }
  const stamp = () => ({ id: newId(), received_at: rfc3339(clock.nowMs()) })
  trim(shelves.message, real.nowMs())
  trim(shelves.request, real.nowMs())
  if (lines > shelves.message.known.length + shelves.request.known.length) compact()

  const read = (known: Known) => journal.read(known.place) as Entry
  return {
    accept: ({ provider, from, to }, parsed, raw) => {
      const { id, received_at } = stamp()
      const message: Message = {
        id,
        channel: 'email',
        provider,
        from,
        to: to.join(', '),
        ...parsed,
        received_at,
      }
      add({ kind: 'message', message, to, raw: raw.toString('base64') })
      return message
    },
    record: ({ provider, from, to }, what) => {
      const { id, received_at } = stamp()
      const request = { id, provider, from, to: to.join(', '), ...what, received_at }
      add({ kind: 'request', request, to })
    },
    messages: (filter, cursor, limit) =>
      page(shelves.message, filter, cursor, limit, known => (read(known) as MessageEntry).message),
    requests: (filter, cursor, limit) =>
      page(shelves.request, filter, cursor, limit, known => (read(known) as RequestEntry).request),
    message: id => {
      const known = shelves.message.known.find(one => one.id === id)
      if (!known) return undefined
      const { message, raw } = read(known) as MessageEntry
      return { ...message, raw: rawText(Buffer.from(raw, 'base64')) }
    },
    forget: filter => {
      shelves.message.known = shelves.message.known.filter(one => !isWanted(one, filter))
      compact()
    },
    reset: () => {
      shelves.message.known = []
      shelves.request.known = []
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

/** Answers the number of lines that are left. */
function rewrite(journal: Journal, shelves: readonly Shelf[]): number {
  const all = shelves.flatMap(shelf => shelf.known).sort((a, b) => a.place.start - b.place.start)
  const moved = journal.keepOnly(all.map(one => one.place))
  all.forEach((one, index) => {
    one.place = moved[index] ?? one.place
  })
  return all.length
}

function page<T>(
  shelf: Shelf,
  filter: Filter,
  cursor: string | undefined,
  limit: number,
  read: (known: Known) => T,
): Page<T> {
  const found: Known[] = []
  const last = cursor === undefined ? -1 : shelf.known.findIndex(one => one.id === cursor)
  let index = (last < 0 ? shelf.known.length : last) - 1
  for (; index >= 0 && found.length <= limit; index--) {
    const known = shelf.known[index]
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
    (channel === undefined || channel === 'email') &&
    (provider === undefined || known.provider === provider) &&
    (ref === undefined || known.ref === ref) &&
    (to === undefined || known.to.includes(lower(to)))
  )
}

function lower(text: string): string {
  return text.toLowerCase()
}
