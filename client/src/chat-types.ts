/** What the socket of chat sends and gets, as a caller of `client.chat.connect` sees it. */
import type { components } from './schema.d.ts'

export type ChatMessage = components['schemas']['Message']

/** How far a device has each conversation. Store it, and pass it as `resume` after a restart. */
export type ChatPositions = Readonly<
  Record<string, { readonly sequence: number; readonly revision: number }>
>

export type ChatOptions = {
  readonly device_id?: string
  /** Where the device stopped: what it missed since comes first. Without it, it begins with what is new. */
  readonly resume?: ChatPositions
  /** Longest wait before the next attempt to connect; 30,000 by default. */
  readonly wait_ms_max?: number
}

export type ChatDraft = {
  readonly conversation_id: string
  readonly body?: string
  readonly attachment_ids?: readonly string[]
  readonly reply_to_sequence?: number
  /** The key of the send; the same key never stores a second message. */
  readonly request_id?: string
}

export type ChatSent = {
  readonly request_id: string
  readonly conversation_id: string
  readonly message_id: string
  readonly sequence: number
  readonly created_at: string
  /** An earlier send with this key had stored it already. */
  readonly deduplicated: boolean
}

type InConversation = { readonly conversation_id: string }

export type ChatEvents = {
  /** Connected, and nothing is missing that came before. */
  online: { readonly connection_id: string }
  /** Not connected; the next attempt follows by itself, unless `retry_ms` is null. */
  offline: { readonly retry_ms: number | null; readonly reason: string }
  /**
   * `created` comes once for each message, in the order of the sequences. `updated` and `deleted` carry the
   * message as it is now, and may come again.
   */
  message: InConversation & {
    readonly kind: 'created' | 'updated' | 'deleted'
    readonly message: ChatMessage
  }
  /** The person is no member any more. */
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
