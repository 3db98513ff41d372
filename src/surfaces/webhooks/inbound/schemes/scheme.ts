/**
 * A scheme: how a provider signs its messages, how it names them, and how it documents "received".
 * Schemes are pure functions; the caller passes the source and the secrets.
 */
import type { KeyObject } from 'node:crypto'
import type { MessageHeaders, SignatureVerdict } from '../../../../kernel/outgoing/signatures.ts'
import type { Options, SchemeName } from '../schemas.ts'

export type Incoming = {
  readonly headers: MessageHeaders
  readonly body: Buffer
  /** The URL that was configured at the provider, with the query that it sent. */
  readonly url: string
}

export type Trust = {
  readonly secrets: readonly KeyObject[]
  readonly options: Options
  readonly now_seconds: number
  readonly window_seconds: number
}

/**
 * What is read of a message before it is stored: its id at the provider, and its type if it has
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
   * Null if the message does not have the form of its provider. Called for verified messages only.
   */
  envelope(message: Incoming, options: Options): Envelope | null
  /** Where its id is expected, for the error about a message without one. */
  identified(options: Options): string
  readonly received: Acknowledgement
  /** A reply to a question of the provider that is not an event, and so is not stored. */
  greets?(message: Incoming): Acknowledgement | null
}
