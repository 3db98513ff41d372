/**
 * The message that a provider gets, and the outcome of sending. The outcome contains everything
 * that decides the next step.
 */
import type { Rendered } from '../templates/render.ts'
import type { OutsideChannel } from '../addresses.ts'

export type Outgoing = {
  /**
   * The same for every attempt of one message: `<intent>.<channel>`, and for push also the device.
   */
  readonly ref: string
  readonly to: string
  readonly message: Rendered
  readonly category: string
  /** For mails of categories that have an unsubscribe link. */
  readonly unsubscribe_url: string | null
  readonly created_at: string
  /** The time during which the message is useful. */
  readonly ttl_seconds: number
}

/** The time within which the request was made. */
export type SentWithin = { readonly from_ms: number; readonly until_ms: number }

/**
 * accepted: the provider has it. refused: the provider does not have it and never will. failed: the
 * provider does not have it, but a retry may succeed. unknown: the provider may have it.
 */
export type Outcome =
  | { readonly kind: 'accepted'; readonly provider_message_id: string | null }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      /** The address is the cause. */
      readonly suppress?: 'hard_bounce' | 'stop_keyword' | 'invalid_destination'
      /** The device no longer exists. */
      readonly gone?: true
    }
  | {
      readonly kind: 'failed'
      readonly code: ErrorCode
      readonly retry_after_seconds?: number | null
      /** Another provider would fail too, for example if the mailbox is full. */
      readonly at_destination?: true
    }
  | { readonly kind: 'unknown'; readonly code: ErrorCode }

/** The provider's id as it is stored. Null if it has characters that no id has. */
export function storedId(id: string | null): string | null {
  return id !== null && /^[\x20-\x7e]{1,400}$/.test(id) ? id : null
}

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
  /** For push only: the kind of device. */
  readonly reaches: string
  readonly connections: number
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Outcome>
  /**
   * Returns the ids of the provider's messages that may be this one: those to this address with this
   * text that were created within the time, among them those of other notifications. Null if the
   * provider cannot be queried, or does not list all of them.
   */
  find?(outgoing: Outgoing, sent: SentWithin): Promise<readonly string[] | null>
  close(): Promise<void>
}
