/**
 * Connects commits with sockets. A message of this process is sent from memory if it directly
 * follows the last delivered one. Everything else is read again. Notifications of other processes
 * arrive over the bus. If one is lost, the comparison with the database finds the missing messages.
 */
import type { Deps } from '../deps.ts'
import type { Key, Message, Seat } from '../schemas.ts'
import { catchUp } from './catch-up.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'
import type { Appended, Head, Live, SenderPlace } from './live.ts'
import { readMemberships, type OwnMembership } from './memberships.ts'
import { Presence } from './presence.ts'
import { Registry } from './registry.ts'
import { Repair } from './repair.ts'
import { broadcast, deliverMessage, WatchedSet, type Watched } from './watched.ts'

type LiveDeps = Pick<Deps, 'kernel' | 'cipher' | 'people' | 'blocks'>
type Moved = Omit<Head, 'latest_sequence'>
/** Something about a person that may be left out: for their own sockets, the others', or all. */
type Note = Seat & { readonly to: 'own' | 'others' | 'all'; readonly frame: object }

/** Notifications that arrived before this process watched their conversation. */
const recent_max = 10_000
const reads_max = 4
/** The maximum number of ids in one message of the bus. */
const ids_at_once = 70

export class OpenLive implements Live {
  readonly registry: Registry
  readonly presence: Presence
  readonly watched = new WatchedSet()
  private readonly deps: LiveDeps
  private readonly repair: Repair
  private readonly recent = new Map<string, number>()
  private readonly line: (() => void)[] = []
  private readonly unsubscribe: readonly (() => void)[]
  private reads = 0

  constructor(deps: LiveDeps) {
    this.deps = deps
    const { kernel, people } = deps
    this.presence = new Presence(deps)
    this.registry = new Registry(kernel, {
      person: (tenant_id, user_id, here) => this.presence.here(tenant_id, user_id, here),
      closed: connection => {
        this.watched.drop(connection)
        this.presence.forget(connection)
      },
    })
    this.repair = new Repair(deps, {
      registry: this.registry,
      watched: this.watched,
      read: one => this.reread(one),
      joined: (tenant_id, id, user_ids) => this.joinHere(tenant_id, id, user_ids),
    })
    this.unsubscribe = this.subscribe()
    people.onSessionEnded(session_id => this.registry.endSession(session_id))
  }

  /** Subscribes the socket to the conversations of its person, or to some of them. */
  async watch(connection: Connection, ids: readonly string[] | null = null): Promise<void> {
    const rows = await readMemberships(this.deps.kernel.db, connection.holder, ids)
    if (connection.ended) return
    for (const row of rows) {
      const is_news = ids !== null && !this.watched.has(connection, row.conversation_id)
      const one = this.watched.join(connection, row, ids === null)
      if (is_news) connection.ephemeral(joinedFrame(connection.holder.user_id, row))
      const hint = this.recent.get(`${one.tenant_id} ${one.id}`) ?? 0
      const behind = Math.max(hint, row.revision) > one.known_revision
      const person = one.people.get(connection.holder.user_id)
      if (behind || person?.certain === false || person?.late.size) this.reread(one)
    }
  }

  appended(messages: readonly Appended[]): void {
    // The senders get their replies first.
    setImmediate(() => void this.spread(messages))
  }

  private async spread(messages: readonly Appended[]): Promise<void> {
    const { kernel } = this.deps
    await kernel.fault('chat.before_delivery')
    for (const one of messages) this.deliver(one)
    await kernel.fault('chat.before_hint')
    for (const head of headsOf(messages)) this.publishHead(head)
  }

  changed(head: Head): void {
    this.moved(head)
    this.publishHead(head)
  }

  joined({ tenant_id, id }: Key, user_ids: readonly string[]): void {
    this.joinHere(tenant_id, id, user_ids)
    for (let at = 0; at < user_ids.length; at += ids_at_once) {
      const some = user_ids.slice(at, at + ids_at_once)
      this.deps.kernel.bus.publish('chat.joined', [tenant_id, id, ...some].join(' '))
    }
  }

  placeOf({ tenant_id, id, user_id }: Seat): SenderPlace | undefined {
    const one = this.watched.find(tenant_id, id)
    const person = one?.people.get(user_id)
    if (!one || !person?.certain || person.left_sequence !== null) return undefined
    const other_id = one.direct_key?.split(' ').find(each => each !== user_id) ?? null
    return { data_key: one.data_key, other_id }
  }

  read({ tenant_id, id, user_id }: Seat, last_read_sequence: number, is_shared: boolean): void {
    const type = 'receipt.updated'
    const to = is_shared ? 'all' : 'own'
    const frame = { type, conversation_id: id, user_id, last_read_sequence }
    this.note({ tenant_id, id, user_id, to, frame })
  }

  /** Notifies sockets in this process and in others. */
  note(note: Note): void {
    this.noteHere(note)
    this.deps.kernel.bus.publish('chat.notes', JSON.stringify(note))
  }

  suspect(user_id: string): void {
    this.suspectHere(user_id)
    this.deps.kernel.bus.publish('chat.people', user_id)
  }

  online(tenant_id: string): ReadonlySet<string> {
    return this.presence.online(tenant_id)
  }

  async close(): Promise<void> {
    for (const end of this.unsubscribe) end()
    this.registry.close()
    this.presence.close()
    await this.repair.stop()
  }

  private subscribe(): (() => void)[] {
    const { bus } = this.deps.kernel
    return [
      bus.on('chat.heads', {
        message: text => {
          const [tenant_id = '', id = '', revision] = text.split(' ')
          this.moved({ tenant_id, id, revision: Number(revision) })
        },
        gap: () => this.repair.now(),
      }),
      bus.on('chat.joined', {
        message: text => {
          const [tenant_id = '', id = '', ...user_ids] = text.split(' ')
          this.joinHere(tenant_id, id, user_ids)
        },
      }),
      bus.on('chat.people', { message: user_id => this.suspectHere(user_id) }),
      bus.on('chat.notes', { message: text => this.noteHere(JSON.parse(text) as Note) }),
    ]
  }

  /** Sent from memory if the message directly follows the last delivered one. */
  private deliver({ tenant_id, event_id, message, with_attachments }: Appended): void {
    const one = this.watched.find(tenant_id, message.conversation_id)
    if (one && !with_attachments && continues(one, message)) {
      one.known_sequence = message.sequence
      one.known_revision = message.revision
      deliverMessage(one, 'message.created', message, event_id)
      return
    }
    this.moved({ tenant_id, id: message.conversation_id, revision: message.revision })
  }

  private moved({ tenant_id, id, revision }: Moved): void {
    const one = this.watched.find(tenant_id, id)
    if (one) {
      if (revision > one.known_revision) this.reread(one)
      return
    }
    if (this.registry.size === 0) return
    const key = `${tenant_id} ${id}`
    this.recent.delete(key)
    if (this.recent.size >= recent_max) this.recent.delete(this.recent.keys().next().value ?? '')
    this.recent.set(key, revision)
  }

  private reread(one: Watched): void {
    if (one.reading) {
      one.again = true
      return
    }
    one.reading = this.limited(() => catchUp(this.deps, this.watched, one))
      .catch((error: unknown) => this.warn(error, 'a conversation could not be read'))
      .finally(() => {
        one.reading = null
        if (!one.again) return
        one.again = false
        this.reread(one)
      })
  }

  private async limited(work: () => Promise<void>): Promise<void> {
    if (this.reads >= reads_max) await new Promise<void>(resolve => this.line.push(resolve))
    this.reads++
    try {
      await work()
    } finally {
      this.reads--
      this.line.shift()?.()
    }
  }

  private publishHead({ tenant_id, id, revision }: Moved): void {
    this.deps.kernel.bus.publish('chat.heads', `${tenant_id} ${id} ${revision}`)
  }

  private joinHere(tenant_id: string, id: string, user_ids: readonly string[]): void {
    for (const user_id of user_ids) {
      for (const connection of this.registry.of(tenant_id, user_id)) {
        this.watch(connection, [id]).catch((error: unknown) =>
          this.warn(error, 'a new membership could not be read'),
        )
      }
    }
  }

  private suspectHere(user_id: string): void {
    const { kernel, people } = this.deps
    for (const connection of this.registry.ofPerson(user_id)) {
      const { tenant_id } = connection.holder
      people.membersOf(kernel.db, tenant_id, [user_id]).then(
        members => members.has(user_id) || connection.end(4401, 'session_revoked'),
        (error: unknown) => this.warn(error, 'a member of the tenant could not be read'),
      )
    }
  }

  private noteHere({ tenant_id, id, user_id, to, frame }: Note): void {
    const one = this.watched.find(tenant_id, id)
    if (!one) return
    const bytes = frameOf(frame)
    // The process of the person may not know how large the conversation is.
    const small = this.deps.kernel.settings['chat.small_group']
    if (to !== 'own' && one.member_count <= small) broadcast(one, bytes, user_id)
    if (to === 'others') return
    for (const connection of this.registry.of(tenant_id, user_id)) connection.ephemeral(bytes)
  }

  private warn(error: unknown, says: string): void {
    this.deps.kernel.log.warn({ err: error }, says)
  }
}

/** A person learns of a new conversation even if no other member has a socket in this process. */
function joinedFrame(user_id: string, row: OwnMembership): Buffer {
  const { conversation_id, role, joined_sequence, last_read_sequence, member_revision } = row
  const member = { user_id, role, joined_sequence, left_sequence: null, last_read_sequence }
  return frameOf({ type: 'member.updated', conversation_id, revision: member_revision, member })
}

function headsOf(messages: readonly Appended[]): Iterable<Moved> {
  const heads = new Map<string, Moved>()
  for (const { tenant_id, message } of messages) {
    const { conversation_id: id, revision } = message
    heads.set(`${tenant_id} ${id}`, { tenant_id, id, revision })
  }
  return heads.values()
}

function continues(one: Watched, { sequence, revision }: Message): boolean {
  return (
    one.reading === null &&
    sequence === one.known_sequence + 1 &&
    revision === one.known_revision + 1
  )
}
