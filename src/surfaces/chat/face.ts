/** What surfaces of an application may call: rooms and messages in their own transaction. */
import type { Tx } from '#dodeca/kernel'

export type RoomOrder = {
  /** The caller's own id for the room. */
  readonly id?: string
  readonly tenant_id: string
  readonly title?: string
  readonly member_ids: readonly string[]
}

export type MessageOrder = {
  /** The caller's own id for the message: a second one with it is not sent. */
  readonly id?: string
  readonly tenant_id: string
  readonly conversation_id: string
  /** A member. Without it, the application speaks, which is in the rooms that it opened. */
  readonly sender_id?: string
  readonly body: string
}

export type Face = {
  /**
   * Opens a room for people of the tenant. The application owns it, as a member with the id
   * `00000000-0000-0000-0000-000000000000`. The same order twice is one room.
   */
  open(tx: Tx, order: RoomOrder): Promise<{ id: string; existing: boolean }>
  send(tx: Tx, order: MessageOrder): Promise<{ id: string; sequence: number; existing: boolean }>
}
