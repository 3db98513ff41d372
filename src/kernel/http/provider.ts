/** The contract of a provider that sends signed messages to the platform. */
import type { Tx } from '../database/db.ts'

/** One entry of the registry behind `POST /v1/providers/{provider}/webhooks`. */
export type Provider<Event extends ProviderEvent = ProviderEvent> = {
  readonly name: string
  /**
   * The status that this provider expects as a confirmation. A 200 has the body `{"received":
   * true}`.
   */
  readonly accepted: 200 | 202 | 204
  /** The maximum size of a message. */
  readonly max_bytes: number
  /**
   * Verifies the exact bytes, in constant time. It may make a request, for example to fetch a
   * certificate.
   */
  verify(message: SignedProviderMessage): ProviderVerdict<Event> | Promise<ProviderVerdict<Event>>
  /**
   * Stores each event once by its id, in one transaction. A repeated event succeeds without effect.
   */
  receive(tx: Tx, events: readonly Event[]): Promise<void>
  /**
   * Messages that arrive at the same time may be stored in one transaction. The list may contain
   * the same event twice.
   */
  readonly shares_commits?: true
  /**
   * Finds who receives for another name in the address, such as the id of a tenant's own account with
   * the provider. It is called for each message, and returns the same object while nothing changes.
   */
  account?(name: string): Promise<Provider<Event> | undefined>
}

export type SignedProviderMessage = {
  readonly raw: Buffer
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The public URL that the provider called, with its query. */
  readonly url: string
}

export type ProviderEvent = { readonly event_id: string }

export type ProviderVerdict<Event extends ProviderEvent = ProviderEvent> =
  | { readonly events: readonly Event[] }
  | { readonly refused: 'signature_invalid' | 'timestamp_out_of_window' | 'envelope_invalid' }
