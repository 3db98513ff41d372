/**
 * A device in chat. It stays connected, fetches missed events, and sends unacknowledged messages
 * again with the same keys. It runs in browsers and in Node.
 */
import { answer_ms, Link, type Frame } from './chat-link.ts'
import { Positions, type Changes, type Head } from './chat-positions.ts'
import {
  ChatRefused,
  type ChatDraft,
  type ChatEvents,
  type ChatMessage,
  type ChatOptions,
  type ChatPositions,
  type ChatRefusal,
  type ChatSent,
} from './chat-types.ts'

export type Chat = {
  /** Returns a function that removes the listener. */
  on<K extends keyof ChatEvents>(type: K, listener: (event: ChatEvents[K]) => void): () => void
  /** Resolves when the message is stored, even if the connection is lost several times before. */
  send(draft: ChatDraft): Promise<ChatSent>
  /** `read` and `typing` do nothing while there is no connection. */
  read(conversation_id: string, through_sequence: number): void
  typing(conversation_id: string, active: boolean): void
  watchPresence(user_ids: readonly string[]): void
  /** The position of the device in each conversation, for `resume`. */
  positions(): ChatPositions
  close(): void
}

/** The parts of the client that a device uses. */
type Base = {
  readonly base_url: string
  get(path: string, init: object): Promise<{ data: unknown }>
  /** Whether a retry is useless. */
  isFinal(error: unknown): boolean
  /** Whether the error says that there is no such thing for the caller, or not any more. */
  isGone(error: unknown): boolean
}

export type ChatOfClient = {
  /** A device of the caller. It connects immediately and stays connected until it is closed. */
  connect(options?: ChatOptions): Chat
}

export function chatOf(base: Base): ChatOfClient {
  return { connect: (options = {}) => new Device(base, options) }
}

type Owed = {
  readonly frame: object
  readonly resolve: (sent: ChatSent) => void
  readonly reject: (error: Error) => void
}
type Listeners = { [K in keyof ChatEvents]?: Set<(event: ChatEvents[K]) => void> }

const refused_wait_ms = 1000
const kinds = new Map([
  ['message.created', 'created' as const],
  ['message.updated', 'updated' as const],
  ['message.deleted', 'deleted' as const],
])
const about_now = new Map([
  ['receipt.updated', 'receipt' as const],
  ['typing', 'typing' as const],
  ['presence.updated', 'presence' as const],
])

class Device implements Chat {
  private readonly base: Base
  private readonly link: Link
  private readonly known: Positions
  private readonly listeners: Listeners = {}
  private readonly owed = new Map<string, Owed>()
  /** Frames that wait until earlier changes are fetched. */
  private readonly held = new Map<string, Frame[]>()
  /** Frames that arrived before the positions were compared. */
  private early: Frame[] | null = []
  private watched: readonly string[] | null = null
  private hello: Frame | null = null
  private closed = false

  constructor(base: Base, { device_id, resume, wait_ms_max = 30_000, WebSocket }: ChatOptions) {
    this.base = base
    this.known = new Positions(resume)
    this.link = new Link({
      base_url: base.base_url,
      wait_ms_max,
      WebSocket,
      token: async () => {
        const query = device_id === undefined ? {} : { device_id }
        const { data } = await this.ask('/v1/realtime-token', { query })
        return (data as { token: string }).token
      },
      isFinal: error => base.isFinal(error),
      frame: frame => this.take(frame),
      lost: (reason, retry_ms) => this.lost(reason, retry_ms),
    })
  }

  on<K extends keyof ChatEvents>(type: K, listener: (event: ChatEvents[K]) => void): () => void {
    const known: Set<(event: ChatEvents[K]) => void> = this.listeners[type] ?? new Set()
    known.add(listener)
    Object.assign(this.listeners, { [type]: known })
    return () => void known.delete(listener)
  }

  send({ request_id = crypto.randomUUID(), ...draft }: ChatDraft): Promise<ChatSent> {
    if (this.closed) return Promise.reject(new Error('The chat is closed.'))
    const frame = { type: 'message.send', request_id, ...draft }
    return new Promise((resolve, reject) => {
      this.owed.set(request_id, { frame, resolve, reject })
      this.put(frame)
    })
  }

  read(conversation_id: string, through_sequence: number): void {
    this.put({ type: 'receipt.read', conversation_id, through_sequence })
  }

  typing(conversation_id: string, active: boolean): void {
    this.put({ type: 'typing', conversation_id, active })
  }

  watchPresence(user_ids: readonly string[]): void {
    this.watched = user_ids
    this.put({ type: 'presence.subscribe', user_ids })
  }

  positions(): ChatPositions {
    return this.known.all()
  }

  close(): void {
    this.link.close()
    this.end(new Error('The chat was closed before the message was acknowledged.'))
  }

  private end(error: Error): void {
    this.closed = true
    const all = [...this.owed.values()]
    this.owed.clear()
    for (const one of all) one.reject(error)
  }

  private lost(reason: string, retry_ms: number | null): void {
    this.early = []
    this.held.clear()
    if (retry_ms === null) this.end(new Error(reason))
    this.emit('offline', { reason, retry_ms })
  }

  private put(frame: object): void {
    if (!this.early) this.link.send(frame)
  }

  private take(frame: Frame): void {
    if (frame.type === 'hello') {
      this.hello = frame
      // The list is empty, so the device gets the heads of all conversations.
      this.link.send({ type: 'sync', conversations: [] })
    } else if (frame.type === 'sync.state') {
      void this.synchronize(frame['unlisted'] as readonly Head[])
    } else if (frame.type === 'message.ack') {
      this.owedFor(frame)?.resolve(frame as unknown as ChatSent)
      this.owed.delete(String(frame['request_id']))
    } else if (frame.type === 'error') this.refuse(frame, frame as unknown as ChatRefusal)
    else if (this.early) this.early.push(frame)
    else this.apply(frame)
  }

  /**
   * The platform starts to send live frames before it reads the heads, so that no message is lost
   * between them.
   */
  private async synchronize(heads: readonly Head[]): Promise<void> {
    const { turn } = this.link
    const { behind, removed } = this.known.compare(heads)
    for (const conversation_id of removed) this.emit('removed', { conversation_id })
    for (const id of behind) this.held.set(id, [])
    const early = this.early ?? []
    this.early = null
    this.link.steady(Number(this.hello?.['heartbeat_ms']))
    for (const one of this.owed.values()) this.put(one.frame)
    if (this.watched) this.watchPresence(this.watched)
    for (const frame of early) this.apply(frame)
    for (const id of behind) await this.fetch(id, turn)
    if (this.link.turn !== turn) return
    this.emit('online', { connection_id: String(this.hello?.['connection_id']) })
  }

  private apply(frame: Frame): void {
    const id = String(frame['conversation_id'])
    const waiting = this.held.get(id)
    const now = about_now.get(frame.type)
    if (now) this.emit(now, frame as never)
    else if (waiting) waiting.push(frame)
    else if (frame.type === 'resync.required') this.refetch(id)
    else if (frame.type === 'conversation.updated' || frame.type === 'member.updated') {
      this.change(id, frame)
    } else {
      const kind = kinds.get(frame.type)
      if (!kind) return
      const found = this.known.live(id, kind, frame['message'] as ChatMessage)
      if (found) for (const one of found) this.emit('message', one)
      else this.refetch(id)
    }
  }

  private change(id: string, frame: Frame): void {
    const member = frame['member'] as { user_id: string; left_sequence: number | null } | undefined
    this.emit(member ? 'member' : 'conversation', frame as never)
    if (member?.user_id === this.hello?.['user_id'] && member?.left_sequence !== null) {
      this.known.forget(id)
      this.emit('removed', { conversation_id: id })
    } else if (!this.known.moved(id, Number(frame['revision']))) this.refetch(id)
  }

  private refetch(id: string): void {
    this.held.set(id, [])
    void this.fetch(id, this.link.turn)
  }

  /** Fetches missing changes, then processes the frames that arrived meanwhile. */
  private async fetch(id: string, turn: number): Promise<void> {
    try {
      const pages = await this.changesOf(id)
      if (this.link.turn !== turn) return
      for (const one of this.known.fetched(id, pages)) this.emit('message', one)
      for (const member of pages.flatMap(page => page.members)) {
        this.emit('member', { conversation_id: id, member })
      }
    } catch (error) {
      if (this.link.turn !== turn) return
      // After the end of a session, for example, the person is still a member.
      if (!this.base.isGone(error)) {
        const reason = 'what was missed could not be fetched'
        return this.link.drop(reason, this.base.isFinal(error))
      }
      this.known.forget(id)
      this.emit('removed', { conversation_id: id })
    }
    const frames = this.held.get(id) ?? []
    this.held.delete(id)
    for (const frame of frames) this.apply(frame)
  }

  private async changesOf(id: string): Promise<Changes[]> {
    const pages: Changes[] = []
    for (let after = this.known.after(id); ;) {
      const params = { path: { id }, query: { after } }
      const { data } = await this.ask('/v1/conversations/{id}/changes', params)
      const page = data as Changes
      pages.push(page)
      if (!page.has_more) return pages
      after = page.revision
    }
  }

  /**
   * A request over a lost network gets no reply. Without a limit the device would wait for ever.
   */
  private ask(path: string, params: object): Promise<{ data: unknown }> {
    return this.base.get(path, { params, signal: AbortSignal.timeout(answer_ms) })
  }

  private owedFor(frame: Frame): Owed | undefined {
    return this.owed.get(String(frame['request_id']))
  }

  /**
   * If the platform is unavailable, the message is sent again. Any other error goes to the caller.
   */
  private refuse(frame: Frame, refusal: ChatRefusal): void {
    const one = this.owedFor(frame)
    if (!one) return
    if (refusal.retry_after_ms === undefined && refusal.status < 500) {
      this.owed.delete(String(frame['request_id']))
      return one.reject(new ChatRefused(refusal))
    }
    const { turn } = this.link
    const wait_ms = (refusal.retry_after_ms ?? refused_wait_ms) * (1 + Math.random() / 4)
    setTimeout(() => this.link.turn === turn && this.put(one.frame), wait_ms)
  }

  private emit<K extends keyof ChatEvents>(type: K, event: ChatEvents[K]): void {
    const listeners: ReadonlySet<(event: ChatEvents[K]) => void> | undefined = this.listeners[type]
    for (const listener of listeners ?? []) {
      try {
        listener(event)
      } catch (error) {
        // An error of one listener must not lose messages for the others.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
