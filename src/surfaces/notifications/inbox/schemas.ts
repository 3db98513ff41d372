/** The in-app inbox in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, pageOf, pageQuery, Time } from '#dodeca/kernel'

export const InboxItem = Type.Object(
  {
    id: Id,
    sequence: Type.Integer(),
    category: Type.String(),
    title: Type.String(),
    body: Type.String(),
    url: nullable(Type.String()),
    read_at: nullable(Time),
    archived_at: nullable(Time),
    created_at: Time,
  },
  { title: 'InboxItem' },
)
export type InboxItem = Static<typeof InboxItem>

export const InboxPage = pageOf(InboxItem)
export const Unread = Type.Object({ unread_count: Type.Integer() })
export const InboxQuery = pageQuery({
  unread: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
})
export const ChangeItem = closed(
  { read: Type.Optional(Type.Boolean()), archived: Type.Optional(Type.Boolean()) },
  { title: 'ChangeInboxItem' },
)
export type ChangeItem = Static<typeof ChangeItem>
export const ReadAll = closed({ before: Type.Optional(Time) })
export const AllRead = Type.Object({ read: Type.Integer(), unread_count: Type.Integer() })
