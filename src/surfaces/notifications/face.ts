/**
 * What other surfaces may call. The functions write in the caller's transaction, once for each key,
 * and throw only if the calling code is wrong. If a person has no address, the state of the
 * notification says so. `Face` is for all surfaces, `Inside` for those of the platform.
 */
import type { Reader, Tx } from '#dodeca/kernel'
import type { Device, DeviceFault } from './destinations/read-address.ts'
import type { Channel, Data, MailKind, Priority } from './schemas.ts'

export type Notice = {
  readonly tenant_id: string
  /** One notification for each key, such as `event:<id>`. */
  readonly key: string
  /** An account or an API key. An API key means the account that created it. */
  readonly user_id: string
  readonly category: string
  /** A built-in template, such as `notice`: `{subject, paragraphs, url?}`. */
  readonly template: string
  readonly data: Data
  readonly channels?: readonly Channel[]
  readonly priority?: Priority
  readonly dedupe?: { readonly key: string; readonly window_seconds: number }
  readonly digest?: { readonly key: string; readonly window_seconds: number }
}

/** A mail whose address and words are asked when it is sent (`plugMails`). */
export type MailNotice = Omit<Notice, 'user_id' | 'channels' | 'digest' | 'dedupe'> & {
  /** The id is that of the thing that the mail is about, such as an order. */
  readonly mail: { readonly kind: MailKind; readonly id: string }
}

export type MailRef = { readonly tenant_id: string; readonly id: string; readonly data: Data }

export type MailWords = {
  readonly address: string
  readonly locale: string | null
  readonly data: Data
  /** The same without what only the mail itself may contain, such as a code. */
  readonly masked: Data
}

/** In the order of what is wanted; undefined for a mail that should not be sent any more. */
export type MailSource = (
  reader: Reader,
  wanted: readonly MailRef[],
) => Promise<readonly (MailWords | undefined)[]>

export type Face = {
  /**
   * Tells one person of the tenant; `user_not_found` if there is no such account. The categories of
   * class security are the platform's own. Keys of one surface do not meet those of another.
   */
  notify(tx: Tx, notice: Notice): Promise<void>
}

export type Inside = Face & {
  /** Leaves out a notice for whose channels the tenant's own template has no texts. */
  notifyAll(tx: Tx, notices: readonly (Notice | MailNotice)[]): Promise<void>
  plugMails(kind: MailKind, source: MailSource): void
  /** Removes what is stored about the recipients of these mails, and ends those that wait. */
  forgetMails(tx: Tx, tenant_id: string, kind: MailKind, ids: readonly string[]): Promise<void>
  /** The address as mails are sent to it, and one spelling for all that reach the same mailbox. */
  readEmail(text: string): { readonly address: string; readonly normalized: string } | null
  /**
   * Stores a device of a user and returns the id of the destination. Refuses an endpoint that is at
   * no known push service, since the platform would send requests to it.
   */
  registerDevice(
    tx: Tx,
    owner: { readonly tenant_id: string; readonly user_id: string },
    device: Device,
  ): Promise<{ readonly id: string } | { readonly refused: DeviceFault }>
  removeDestination(tx: Tx, at: { readonly tenant_id: string; readonly id: string }): Promise<void>
}
