/** Messages in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Cursor, Id, nullable, Time } from '#dodeca/kernel'
import { Body, Member, Message, Sequence } from '../schemas.ts'

export const SendMessage = closed(
  {
    body: Type.Optional(Body),
    attachment_ids: Type.Optional(Type.Array(Id, { maxItems: 10, uniqueItems: true })),
    reply_to_sequence: Type.Optional(count(1, Number.MAX_SAFE_INTEGER)),
  },
  { title: 'SendMessage' },
)

export const EditMessage = closed({ body: Body }, { title: 'EditMessage' })

export const HistoryQuery = closed({
  before: Type.Optional(count(1, Number.MAX_SAFE_INTEGER)),
  after: Type.Optional(Sequence),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(count(1, 100)),
})
export type HistoryQuery = Static<typeof HistoryQuery>

export const History = Type.Object(
  {
    data: Type.Array(Message, { maxItems: 100 }),
    next_cursor: nullable(Cursor),
    has_more: Type.Boolean(),
    next_before: nullable(Sequence),
    next_after: nullable(Sequence),
    latest_sequence: Sequence,
    revision: Sequence,
  },
  { title: 'History' },
)
export type History = Static<typeof History>

export const ChangesQuery = closed({
  after: Type.Optional(Sequence),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(count(1, 500)),
})

export type ChangesQuery = Static<typeof ChangesQuery>

export const Changes = Type.Object(
  {
    data: Type.Array(Message, { maxItems: 500 }),
    members: Type.Array(Member, { maxItems: 10_000 }),
    revision: Sequence,
    latest_sequence: Sequence,
    next_cursor: nullable(Cursor),
    next_after: nullable(Sequence),
    has_more: Type.Boolean(),
  },
  { title: 'Changes' },
)
export type Changes = Static<typeof Changes>

const MessageVersion = Type.Object(
  { version: count(1, 1_000_000), body: Type.String({ maxLength: 8000 }), edited_at: Time },
  { title: 'MessageVersion' },
)
export const MessageVersions = Type.Object(
  { data: Type.Array(MessageVersion, { maxItems: 1000 }) },
  { title: 'MessageVersions' },
)
export type MessageVersions = Static<typeof MessageVersions>
