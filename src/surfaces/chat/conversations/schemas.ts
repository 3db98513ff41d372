/** Conversations in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, Time } from '#dodeca/kernel'
import {
  ConversationState,
  ConversationType,
  Member,
  Message,
  Role,
  Sequence,
  Title,
} from '../schemas.ts'

export const CreateConversation = closed(
  {
    type: ConversationType,
    member_ids: Type.Array(Id, { minItems: 1, maxItems: 1023, uniqueItems: true }),
    title: Type.Optional(Title),
  },
  { title: 'CreateConversation' },
)
export type CreateConversation = Static<typeof CreateConversation>

export const ChangeConversation = closed(
  { title: Type.Optional(nullable(Title)), state: Type.Optional(ConversationState) },
  { title: 'ChangeConversation' },
)
export type ChangeConversation = Static<typeof ChangeConversation>

const Me = Type.Object(
  {
    role: Role,
    joined_sequence: Sequence,
    left_sequence: nullable(Sequence),
    last_read_sequence: Sequence,
    unread_count: count(0, Number.MAX_SAFE_INTEGER),
    muted_until: nullable(Time),
    hidden: Type.Boolean(),
  },
  { title: 'OwnMembership' },
)

export const Conversation = Type.Object(
  {
    id: Id,
    type: ConversationType,
    title: nullable(Title),
    state: ConversationState,
    created_at: Time,
    latest_sequence: Sequence,
    revision: Sequence,
    last_message_at: nullable(Time),
    last_message: nullable(Message),
    member_count: count(0, 10_000),
    members: Type.Array(Member, { maxItems: 20 }),
    me: Me,
  },
  { title: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>
