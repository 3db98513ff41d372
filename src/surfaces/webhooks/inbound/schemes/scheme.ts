/**
 * A scheme describes one provider: the signature of its messages, the place of their ids, and the
 * reply that the provider documents for a received message. Schemes are pure functions. The caller
 * passes the source and the secrets.
 */
import type { KeyObject } from 'node:crypto'
import type { MessageHeaders, SignatureVerdict } from '#dodeca/kernel'
import type { Options, SchemeName } from '../schemas.ts'

export type Incoming = {
  readonly headers: MessageHeaders
  readonly body: Buffer
  /** The URL that was configured at the provider, and the query of the request. */
  readonly url: string
}

export type Trust = {
  readonly secrets: readonly KeyObject[]
  readonly options: Options
  readonly now_seconds: number
  readonly window_seconds: number
}

/**
 * The values that are read from a message before it is stored: the provider's id of the message,
 * and its type if the message has one.
 */
export type Envelope = { readonly event_id: string; readonly type: string | null }

export type Acknowledgement = {
  readonly status: 200 | 202 | 204
  readonly body: string | null
  readonly media_type?: string
}

export type Scheme = {
  readonly name: SchemeName
  verify(message: Incoming, trust: Trust): SignatureVerdict
  /**
   * Returns null if the message does not have the provider's format. Only verified messages are
   * passed to this function.
   */
  envelope(message: Incoming, options: Options): Envelope | null
  /**
   * The place where the id is expected. The error about a message without an id contains this text.
   */
  identified(options: Options): string
  readonly received: Acknowledgement
  /** The reply to a request of the provider that is not an event. Such a request is not stored. */
  greets?(message: Incoming): Acknowledgement | null
}
