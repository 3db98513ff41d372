/**
 * The conversations that sockets of this process watch, and the last delivered position of each
 * conversation.
 */
import type { Message } from '../schemas.ts'
import { showMessage } from '../messages/message-row.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'

/**
 * A member with sockets in this process. The member sees messages after `joined` and up to `left`.
 */
export type Person = {
  readonly user_id: string
  joined_sequence: number
  left_sequence: number | null
  /** The revision at which the member left. */
  left_at_revision: number | null
  /** False while the known membership may be older than the delivered messages. */
  certain: boolean
  readonly sockets: Set<Connection>
  /**
   * Sockets that get nothing yet: messages may be sent to the others while the membership of their
   * person is read, or were sent before these sockets were subscribed. The next read first sends
   * what each of them misses after this place.
   */
  readonly late: Map<Connection, Since>
}

/** `revision` is null for a person who joined: there are no earlier changes to see. */
export type Since = { readonly sequence: number; readonly revision: number | null }

export type Watched = {
  readonly tenant_id: string
  readonly id: string
  data_key: Buffer
  /** Both people of a direct conversation. */
  readonly direct_key: string | null
  known_revision: number
  known_sequence: number
  member_count: number
  /** The last known title, state and number of members. */
  said: string
  readonly people: Map<string, Person>
  /** The running read. */
  reading: Promise<void> | null
  again: boolean
}

export type Membership = {
  readonly conversation_id: string
  readonly joined_sequence: number
  readonly latest_sequence: number
  readonly revision: number
  readonly member_count: number
  readonly direct_key: string | null
  readonly title: string | null
  readonly state: string
  readonly data_key: Buffer
}

export class WatchedSet {
  private readonly all = new Map<string, Watched>()
  private readonly of = new Map<Connection, Set<Watched>>()

  get size(): number {
    return this.all.size
  }

  find(tenant_id: string, id: string): Watched | undefined {
    return this.all.get(`${tenant_id} ${id}`)
  }

  values(): IterableIterator<Watched> {
    return this.all.values()
  }

  has(connection: Connection, id: string): boolean {
    const watched = this.find(connection.holder.tenant_id, id)
    return watched !== undefined && this.of.get(connection)?.has(watched) === true
  }

  /**
   * Subscribes a socket to a conversation in which its person is a member, according to the row
   * just read. A socket that opens asks for what it has missed by itself, and gets what changes
   * after the row was read. One that is open already gets all messages since its person joined. A
   * read that is running has not read the membership of a new person.
   */
  join(connection: Connection, row: Membership, opens: boolean): Watched {
    const { tenant_id, user_id } = connection.holder
    const watched = this.find(tenant_id, row.conversation_id) ?? this.add(tenant_id, row)
    if (this.has(connection, watched.id)) return watched
    const own = this.of.get(connection) ?? new Set()
    this.of.set(connection, own.add(watched))
    const person = watched.people.get(user_id) ?? {
      user_id,
      joined_sequence: row.joined_sequence,
      left_sequence: null,
      left_at_revision: null,
      certain: watched.known_revision <= row.revision && watched.reading === null,
      sockets: new Set(),
      late: new Map(),
    }
    watched.people.set(user_id, person)
    const missed = !opens && watched.known_sequence > row.joined_sequence
    if (!missed && person.certain) person.sockets.add(connection)
    else if (opens) {
      person.late.set(connection, { sequence: row.latest_sequence, revision: row.revision })
    } else person.late.set(connection, { sequence: row.joined_sequence, revision: null })
    return watched
  }

  /** The person is no longer a member. */
  leave(watched: Watched, user_id: string): void {
    const person = watched.people.get(user_id)
    for (const connection of [...(person?.sockets ?? []), ...(person?.late.keys() ?? [])]) {
      this.of.get(connection)?.delete(watched)
    }
    watched.people.delete(user_id)
    this.tidy(watched)
  }

  /** The socket is closed. */
  drop(connection: Connection): void {
    const { user_id } = connection.holder
    for (const watched of this.of.get(connection) ?? []) {
      const person = watched.people.get(user_id)
      person?.sockets.delete(connection)
      person?.late.delete(connection)
      if (person && person.sockets.size + person.late.size === 0) watched.people.delete(user_id)
      this.tidy(watched)
    }
    this.of.delete(connection)
  }

  private tidy({ tenant_id, id, people }: Watched): void {
    if (people.size === 0) this.all.delete(`${tenant_id} ${id}`)
  }

  private add(tenant_id: string, row: Membership): Watched {
    const watched: Watched = {
      tenant_id,
      id: row.conversation_id,
      data_key: row.data_key,
      direct_key: row.direct_key,
      known_revision: row.revision,
      known_sequence: row.latest_sequence,
      member_count: row.member_count,
      said: saidOf(row),
      people: new Map(),
      reading: null,
      again: false,
    }
    this.all.set(`${tenant_id} ${row.conversation_id}`, watched)
    return watched
  }
}

/** The properties of a conversation that are sent when it changes. */
export function saidOf({
  title,
  state,
  member_count,
}: Pick<Membership, 'title' | 'state' | 'member_count'>): string {
  return JSON.stringify({ title, state, member_count })
}

export type MessageType = 'message.created' | 'message.updated' | 'message.deleted'

/** Sends to members who may see the message. The frame for all readers is written once. */
export function deliverMessage(
  watched: Watched,
  type: MessageType,
  message: Message,
  event_id: string,
): void {
  let shared: Buffer | undefined
  for (const person of watched.people.values()) {
    if (!maySee(person, type, message)) continue
    const special = person.user_id === message.sender_id || person.left_at_revision !== null
    const frame = special
      ? messageFrame(type, showMessage(message, person), event_id)
      : (shared ??= messageFrame(type, showMessage(message, person), event_id))
    for (const connection of person.sockets) {
      if (type !== 'message.created' && connection.plain) continue
      connection.live(frame, message.conversation_id, message.revision)
    }
  }
}

export function messageFrame(type: MessageType, message: Message, event_id: string): Buffer {
  const { conversation_id, sequence, revision } = message
  return frameOf({ type, event_id, conversation_id, sequence, revision, message })
}

function maySee(person: Person, type: MessageType, message: Message): boolean {
  if (!person.certain || message.sequence <= person.joined_sequence) return false
  if (person.left_sequence === null) return true
  return type === 'message.created' && message.sequence <= person.left_sequence
}

/** Sends to all sockets of a conversation's active members. */
export function broadcast(watched: Watched, frame: Buffer, except?: string): void {
  for (const person of watched.people.values()) {
    if (person.left_sequence !== null || !person.certain || person.user_id === except) continue
    for (const connection of person.sockets) connection.ephemeral(frame)
  }
}
