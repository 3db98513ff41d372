/** Schemas of requests, replies and rows that more than one folder uses. */
import { Type, type Static } from 'typebox'
import { count, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'

/** A conversation. */
export type Key = { readonly tenant_id: string; readonly id: string }
/** A conversation, as one person sees it. */
export type Seat = Key & { readonly user_id: string }

export const roles = ['owner', 'admin', 'member'] as const
export const Role = oneOf(...roles)
export type Role = (typeof roles)[number]
export const ConversationType = oneOf('direct', 'group')
export const ConversationState = oneOf('active', 'closed')
export const Sequence = count(0, Number.MAX_SAFE_INTEGER)
export const Bytes = Type.Unsafe<Buffer>(Type.Any())
export const Title = text(100)
/** The limit in code points. Bytes and characters are checked too. */
export const Body = text(8000)

const Attachment = Type.Object(
  {
    id: Id,
    file_id: nullable(Id),
    state: oneOf('pending', 'processing', 'available', 'rejected', 'deleted'),
    media_type: nullable(text(200)),
    size: count(0, Number.MAX_SAFE_INTEGER),
    filename: nullable(text(255)),
  },
  { title: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>
export const Attachments = Type.Array(Attachment, { maxItems: 10 })

export const Message = Type.Object(
  {
    id: Id,
    conversation_id: Id,
    sequence: Sequence,
    revision: Sequence,
    sender_id: Id,
    client_request_id: Type.Optional(text(200)),
    body: nullable(Type.String({ maxLength: 8000 })),
    reply_to_sequence: nullable(Sequence),
    version: count(1, 1_000_000),
    attachments: Attachments,
    created_at: Time,
    edited_at: nullable(Time),
    deleted_at: nullable(Time),
  },
  { title: 'Message' },
)
export type Message = Static<typeof Message>

export const Member = Type.Object(
  {
    user_id: Id,
    role: Role,
    joined_sequence: Sequence,
    left_sequence: nullable(Sequence),
    last_read_sequence: Sequence,
  },
  { title: 'ConversationMember' },
)
export type Member = Static<typeof Member>
