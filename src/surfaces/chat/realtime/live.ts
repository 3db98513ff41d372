/** What use cases tell the open sockets, after their commit. All of it is a hint: the rows are the truth. */
import type { Key, Message, Seat } from '../schemas.ts'

/** How far a conversation is. */
export type Head = Key & { readonly revision: number; readonly latest_sequence: number }

export type Appended = {
  readonly tenant_id: string
  readonly event_id: string
  /** They are read again, because what is known of them here is not all. */
  readonly with_attachments: boolean
  readonly message: Message
}

/** What a send needs to know before its commit. `other_id`: the other person of a direct conversation. */
export type SenderPlace = { readonly data_key: Buffer; readonly other_id: string | null }

export type Live = {
  /**
   * The place of an active member who has a socket in this process, as it was last seen. The append checks
   * the membership again under its lock.
   */
  placeOf(seat: Seat): SenderPlace | undefined
  /** Messages of one commit of this process; those with attachments are read again. */
  appended(messages: readonly Appended[]): void
  changed(head: Head): void
  /** These people are members from now on. */
  joined(key: Key, user_ids: readonly string[]): void
  read(seat: Seat, last_read_sequence: number): void
  /** This person may have lost the tenant or the account: whether they have is asked again. */
  suspect(user_id: string): void
  /** Who of a tenant has a socket in any process, as far as this one knows. */
  online(tenant_id: string): ReadonlySet<string>
}
