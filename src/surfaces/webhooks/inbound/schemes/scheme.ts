/**
 * What a scheme is: how a provider proves that a message is its own, how it names it, what it documents
 * as "received". Schemes are pure; whoever asks them knows the source and the secrets.
 */
import type { KeyObject } from 'node:crypto'
import type { MessageHeaders, SignatureVerdict } from '../../../../kernel/outgoing/signatures.ts'
import type { Options, SchemeName } from '../schemas.ts'

export type Incoming = {
  readonly headers: MessageHeaders
  readonly body: Buffer
  /** Where the provider was told to send to, with the query that it sent. */
  readonly url: string
}

export type Trust = {
  readonly secrets: readonly KeyObject[]
  readonly options: Options
  readonly now_seconds: number
  readonly window_seconds: number
}

/** What is read of a message before it is stored: its id at the provider, and its type where it has one. */
export type Envelope = { readonly event_id: string; readonly type: string | null }

export type Acknowledgement = {
  readonly status: 200 | 202 | 204
  readonly body: string | null
  readonly media_type?: string
}

export type Scheme = {
  readonly name: SchemeName
  verify(message: Incoming, trust: Trust): SignatureVerdict
  /** Null where the message has not the form of its provider. Asked of genuine messages only. */
  envelope(message: Incoming, options: Options): Envelope | null
  /** Where its id is looked for, for whoever sent one without. */
  identified(options: Options): string
  readonly received: Acknowledgement
  /** An answer to a question of the provider that is no event, and so is not kept. */
  greets?(message: Incoming): Acknowledgement | null
}
