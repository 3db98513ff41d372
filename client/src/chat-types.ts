/**
 * The frames that the chat socket sends and receives, as a caller of `client.chat.connect` sees
 * them.
 */
import type { components } from './schema.d.ts'

export type ChatMessage = components['schemas']['Message']

/**
 * The position of a device in each conversation. Store it, and pass it as `resume` after a restart.
 */
export type ChatPositions = Readonly<
  Record<string, { readonly sequence: number; readonly revision: number }>
>

export type ChatOptions = {
  readonly device_id?: string
  /**
   * The position where the device stopped. The device first gets everything that it missed. Without
   * `resume`, it gets only new events.
   */
  readonly resume?: ChatPositions
  /** The longest wait before the next attempt to connect. The default is 30,000. */
  readonly wait_ms_max?: number
  /** The class of the package `ws`, for Node before 22, which has no `WebSocket` of its own. */
  readonly WebSocket?: SocketClass
}

export type SocketClass = new (url: string, protocols: string[]) => object

export type ChatDraft = {
  readonly conversation_id: string
  readonly body?: string
  readonly attachment_ids?: readonly string[]
  readonly reply_to_sequence?: number
  /** The key of the message. The same key never stores a second message. */
  readonly request_id?: string
}

export type ChatSent = {
  readonly request_id: string
  readonly conversation_id: string
  readonly message_id: string
  readonly sequence: number
  readonly created_at: string
  /** True if an earlier attempt with this key has already stored the message. */
  readonly deduplicated: boolean
}

type InConversation = { readonly conversation_id: string }

export type ChatEvents = {
  /** The device is connected, and all missed events have been reported. */
  online: { readonly connection_id: string }
  /**
   * The device is not connected. The next attempt follows automatically, unless `retry_ms` is null.
   */
  offline: { readonly retry_ms: number | null; readonly reason: string }
  /**
   * `created` is reported once for each message, in the order of the sequences. `updated` and
   * `deleted` contain the current message and may be repeated.
   */
  message: InConversation & {
    readonly kind: 'created' | 'updated' | 'deleted'
    readonly message: ChatMessage
  }
  /** The person is no longer a member. */
  removed: InConversation
  member: InConversation & { readonly member: { readonly user_id: string } }
  conversation: InConversation & { readonly title: string | null; readonly state: string }
  receipt: InConversation & { readonly user_id: string; readonly last_read_sequence: number }
  typing: InConversation & { readonly user_id: string; readonly active: boolean }
  presence: { readonly user_id: string; readonly state: string }
}

/** A frame that the platform refused. */
export class ChatRefused extends Error {
  override readonly name = 'ChatRefused'
  readonly code: string
  readonly status: number

  constructor({ code, status, title, detail }: ChatRefusal) {
    super(detail ?? title)
    this.code = code
    this.status = status
  }
}

export type ChatRefusal = {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly detail?: string
  readonly retry_after_ms?: number
}
