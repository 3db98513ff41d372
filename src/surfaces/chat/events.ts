/**
 * The events of chat. They contain ids and numbers, never a text. The version of the aggregate is
 * the revision.
 */
import { Type } from 'typebox'
import { Id, type Tx } from '#dodeca/kernel'
import type { Key } from './schemas.ts'

const Sequence = Type.Integer({ minimum: 0 })
const Role = Type.String({ maxLength: 20 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(more: P) => ({
  version: 1,
  data: Type.Object({ conversation_id: Id, ...more }),
})
const message = declared({
  message_id: Id,
  sequence: Sequence,
  sender_id: Id,
  version: Type.Integer({ minimum: 1 }),
})
const member = { user_id: Id }

export const events = {
  // Written by chat.append.
  'message.created': message,
  'message.updated': message,
  'message.deleted': message,
  'conversation.created': declared({ type: Role, created_by: Id }),
  'conversation.updated': declared({}),
  'conversation.closed': declared({}),
  'conversation.reopened': declared({}),
  'conversation.member_added': declared({ ...member, role: Role }),
  'conversation.member_removed': declared({ ...member, reason: Role }),
  'conversation.member_role_changed': declared({ ...member, role: Role }),
} as const

export type ChatEvent = keyof typeof events

export function announce(
  tx: Pick<Tx, 'emit'>,
  type: ChatEvent,
  { tenant_id, id }: Key,
  revision: number,
  more: object = {},
  event_id?: string,
): string {
  return tx.emit({
    ...(event_id === undefined ? {} : { id: event_id }),
    type,
    tenant_id,
    aggregate_type: 'conversation',
    aggregate_id: id,
    aggregate_version: revision,
    data: { conversation_id: id, ...more },
  })
}
