/**
 * A scheme: how a provider signs its messages, how it identifies them, and which reply it documents
 * for "received". Schemes are pure functions. The caller passes the source and the secrets.
 */
import type { KeyObject } from 'node:crypto'
import type { MessageHeaders, SignatureVerdict } from '../../../../kernel/outgoing/signatures.ts'
import type { Options, SchemeName } from '../schemas.ts'

export type Incoming = {
  readonly headers: MessageHeaders
  readonly body: Buffer
  /** The URL that was configured at the provider, with the query that the provider sent. */
  readonly url: string
}

export type Trust = {
  readonly secrets: readonly KeyObject[]
  readonly options: Options
  readonly now_seconds: number
  readonly window_seconds: number
}

/**
 * What we read from a message before we store it: its id at the provider, and its type if it has
 * one.
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
   * Null if the message does not have the provider's format. It is called for verified messages
   * only.
   */
  envelope(message: Incoming, options: Options): Envelope | null
  /** Where the id is expected, for the error about a message without an id. */
  identified(options: Options): string
  readonly received: Acknowledgement
  /** The reply to a request of the provider that is not an event. Such a request is not stored. */
  greets?(message: Incoming): Acknowledgement | null
}
