/** What is handed to a provider, and what came of it, in the words that decide what follows. */
import type { Rendered } from '../templates/render.ts'
import type { OutsideChannel } from '../addresses.ts'

export type Outgoing = {
  /** The same for every try of one message: `<intent>.<channel>`, and of push the device. */
  readonly ref: string
  readonly to: string
  readonly message: Rendered
  readonly category: string
  /** For mails of categories that one can unsubscribe from. */
  readonly unsubscribe_url: string | null
  readonly created_at: string
  /** How long it is of use. */
  readonly ttl_seconds: number
}

/**
 * accepted: the provider has it. refused: it provably has not, and never will. failed: it provably has not,
 * and may later. unknown: it may or may not have it.
 */
export type Outcome =
  | { readonly kind: 'accepted'; readonly provider_message_id: string | null }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      /** The address itself is at fault. */
      readonly suppress?: 'hard_bounce' | 'stop_keyword' | 'invalid_destination'
      /** The device has gone. */
      readonly gone?: true
    }
  | {
      readonly kind: 'failed'
      readonly code: ErrorCode
      readonly retry_after_seconds?: number | null
      /** Another provider would fail alike, such as where the mailbox is full. */
      readonly at_destination?: true
    }
  | { readonly kind: 'unknown'; readonly code: ErrorCode }

export type ErrorCode =
  | 'provider_unavailable'
  | 'provider_timeout'
  | 'provider_rate_limited'
  | 'provider_auth_failed'
  | 'invalid_destination'
  | 'destination_gone'
  | 'mailbox_full'
  | 'message_too_large'
  | 'content_rejected'
  | 'circuit_open'
  | 'outcome_unknown'

export type Provider = {
  readonly name: string
  readonly channel: OutsideChannel
  /** Of push, the kind of device that it reaches. */
  readonly reaches: string
  readonly connections: number
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Outcome>
  /** Whether it has a message of this ref; null where it cannot be asked. */
  find?(outgoing: Outgoing, since_ms: number): Promise<Outcome | null>
  close(): Promise<void>
}
