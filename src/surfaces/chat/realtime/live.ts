/**
 * Use cases notify the open sockets after their commit. The notifications are only hints; the rows
 * are authoritative.
 */
import type { Key, Message, Seat } from '../schemas.ts'

/** The head of a conversation. */
export type Head = Key & { readonly revision: number; readonly latest_sequence: number }

export type Appended = {
  readonly tenant_id: string
  readonly event_id: string
  /**
   * Conversations to read again, because this process does not know everything about the change.
   */
  readonly with_attachments: boolean
  readonly message: Message
}

/**
 * The data that a send needs before its transaction. `other_id` is the other person of a direct
 * conversation.
 */
export type SenderPlace = { readonly data_key: Buffer; readonly other_id: string | null }

export type Live = {
  /**
   * The last known membership of an active member who has a socket in this process. The append
   * checks the membership again under its lock.
   */
  placeOf(seat: Seat): SenderPlace | undefined
  /** The messages of one transaction of this process. Messages with attachments are read again. */
  appended(messages: readonly Appended[]): void
  changed(head: Head): void
  /** These people are members from now on. */
  joined(key: Key, user_ids: readonly string[]): void
  /** `is_shared` is false if only the person's own devices are notified. */
  read(seat: Seat, last_read_sequence: number, is_shared: boolean): void
  /** This person may have lost the tenant or the account, so their access is checked again. */
  suspect(user_id: string): void
  /** The people of a tenant who have a socket in any process, as far as this process knows. */
  online(tenant_id: string): ReadonlySet<string>
}
