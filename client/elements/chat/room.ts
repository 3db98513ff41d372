/**
 * One conversation, as an element shows it: its messages, who writes, how far others have read, and
 * what is on its way. Each change calls `changed`.
 */
import type { Chat, ChatEvents, ChatMessage, components } from '../../src/index.ts'
import type { Refusal } from '../base-element.ts'
import type { Connected } from '../connection.ts'
import { Outbox, type Unsent } from './outbox.ts'
import { merged, withChange, type Timeline } from './timeline.ts'

type Conversation = components['schemas']['Conversation']

type RoomOptions = Connected & {
  readonly id: string
  changed(): void
  /** Dispatches an event of the element. */
  tell(name: string, detail: object): void
  nameOf(user_id: string): Promise<string | undefined>
}

const typing_shown_ms = 6000
const typing_told_ms = 3000

export class Room {
  /** `stopped`: the session has ended. `gone`: there is no such conversation for the caller. */
  state: 'loading' | 'online' | 'offline' | 'stopped' | 'gone' = 'loading'
  /** Null until the messages are loaded. */
  conversation: Conversation | null = null
  messages: Timeline = []
  has_older = false
  is_busy = false
  /** Why the last request of the reader did not work. */
  failure = ''
  readonly outbox: Outbox
  readonly names = new Map<string, string | undefined>()
  readonly typing = new Map<string, ReturnType<typeof setTimeout>>()
  /** The last message that each member has read. */
  readonly read = new Map<string, number>()
  private readonly options: RoomOptions
  private readonly chat: Chat
  private told_read = 0
  private told_typing = 0

  constructor(options: RoomOptions) {
    this.options = options
    this.outbox = new Outbox(options.account_id, options.id)
    this.chat = options.client.chat.connect()
    this.follow()
    for (const one of this.outbox.list.filter(({ refused }) => !refused)) void this.deliver(one)
  }

  isOwn({ sender_id }: ChatMessage): boolean {
    return sender_id === this.options.account_id
  }

  /** Whether a message can be written: without a connection it waits. */
  get is_open(): boolean {
    const has_ended = this.state === 'stopped' || this.state === 'gone'
    return !has_ended && this.conversation?.state !== 'closed'
  }

  send(body: string, request_id: string = crypto.randomUUID()): void {
    const one = { request_id, body }
    this.outbox.put(one)
    this.tellTyping(false)
    void this.deliver(one)
  }

  discard({ request_id }: Unsent): void {
    this.outbox.drop(request_id)
    this.options.changed()
  }

  tellTyping(active: boolean): void {
    const since_ms = Date.now() - this.told_typing
    if (active ? since_ms < typing_told_ms : this.told_typing === 0) return
    this.told_typing = active ? Date.now() : 0
    this.chat.typing(this.options.id, active)
  }

  /** The newest message is on the screen. */
  tellRead(): void {
    const last = this.messages.at(-1)?.sequence ?? 0
    if (this.state !== 'online' || last <= this.told_read) return
    this.told_read = last
    this.chat.read(this.options.id, last)
  }

  async loadOlder(): Promise<void> {
    const before = this.messages[0]?.sequence
    if (this.is_busy || !this.has_older || before === undefined) return
    await this.attempt(() => this.loadPage({ before }))
  }

  async download(file_id: string): Promise<void> {
    await this.attempt(async () => {
      const params = { path: { file_id }, query: { disposition: 'attachment' } } as const
      const { data } = await this.options.client.GET('/v1/files/{file_id}/download-url', { params })
      location.assign(data.url)
    })
  }

  close(): void {
    this.state = 'stopped'
    for (const timer of this.typing.values()) clearTimeout(timer)
    this.chat.close()
  }

  private follow(): void {
    const { id, changed, tell } = this.options
    const on = <K extends keyof ChatEvents>(type: K, act: (event: ChatEvents[K]) => void) =>
      this.chat.on(type, event => {
        if ('conversation_id' in event && event.conversation_id !== id) return
        act(event)
        changed()
      })
    on('online', () => {
      this.told_read = 0
      if (this.state !== 'gone') this.state = 'online'
      if (!this.conversation) void this.attempt(() => this.load())
    })
    on('offline', ({ retry_ms, reason }) => {
      if (this.state !== 'gone') this.state = retry_ms === null ? 'stopped' : 'offline'
      if (retry_ms === null) tell('error', { code: 'stopped', error: new Error(reason) })
    })
    on('message', ({ kind, message }) => {
      this.messages = withChange(this.messages, message)
      void this.learnName(message.sender_id)
      this.showTyping(message.sender_id, false)
      if (kind === 'created') tell('message', { message })
    })
    on('removed', () => void (this.state = 'gone'))
    on('conversation', ({ title, state }) => {
      const changes = { title, state: state as Conversation['state'] }
      if (this.conversation) this.conversation = { ...this.conversation, ...changes }
    })
    on('receipt', ({ user_id, last_read_sequence }) => {
      this.read.set(user_id, Math.max(this.read.get(user_id) ?? 0, last_read_sequence))
    })
    on('typing', ({ user_id, active }) => this.showTyping(user_id, active))
  }

  private showTyping(user_id: string, active: boolean): void {
    clearTimeout(this.typing.get(user_id))
    this.typing.delete(user_id)
    if (!active || user_id === this.options.account_id) return
    void this.learnName(user_id)
    const end = () => {
      this.showTyping(user_id, false)
      this.options.changed()
    }
    this.typing.set(user_id, setTimeout(end, typing_shown_ms))
  }

  private async load(): Promise<void> {
    const params = { path: { id: this.options.id } }
    const { data } = await this.options.client.GET('/v1/conversations/{id}', { params })
    await this.loadPage({})
    for (const one of data.members) this.read.set(one.user_id, one.last_read_sequence)
    this.conversation = data
  }

  private async loadPage(query: { readonly before?: number }): Promise<void> {
    const params = { path: { id: this.options.id }, query: { ...query, limit: 50 } }
    const { data } = await this.options.client.GET('/v1/conversations/{id}/messages', { params })
    this.messages = merged(this.messages, data.data)
    this.has_older = data.has_more
    for (const one of data.data) void this.learnName(one.sender_id)
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    Object.assign(this, { is_busy: true, failure: '' })
    this.options.changed()
    try {
      await act()
    } catch (error) {
      this.fail(error as Refusal)
    }
    this.is_busy = false
    this.options.changed()
  }

  private fail(error: Refusal): void {
    if (error.status === 404 && !this.conversation) this.state = 'gone'
    this.failure = error.message
    this.options.tell('error', { code: error.code ?? 'unknown', error })
  }

  /** Until it is stored, the client sends it again under the same key. */
  private async deliver({ request_id, body }: Unsent): Promise<void> {
    const { id: conversation_id, account_id: sender_id, changed } = this.options
    changed()
    try {
      const sent = await this.chat.send({ conversation_id, request_id, body })
      this.outbox.drop(request_id)
      const rest = { reply_to_sequence: null, attachments: [], edited_at: null, deleted_at: null }
      const at = { id: sent.message_id, sequence: sent.sequence, created_at: sent.created_at }
      // Whatever else is known of it is newer.
      const message = { ...rest, ...at, conversation_id, sender_id, body, revision: 0, version: 1 }
      this.messages = withChange(this.messages, message)
    } catch (error) {
      // After the end of a session it waits for the next one.
      if (!(error instanceof Error) || error.name !== 'ChatRefused') return
      this.outbox.put({ request_id, body, refused: error.message })
      this.options.tell('error', { code: (error as Refusal).code, error })
    }
    changed()
  }

  private async learnName(user_id: string): Promise<void> {
    if (this.names.has(user_id)) return
    this.names.set(user_id, undefined)
    const name = await this.options.nameOf(user_id).catch(() => undefined)
    this.names.set(user_id, name)
    this.options.changed()
  }
}
