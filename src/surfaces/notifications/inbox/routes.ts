/** Routes of the in-app inbox. Everyone has one inbox and sees only their own. */
import { reply, routesOf, sql, type RequestFacts } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { inbox_topic } from '../topics.ts'
import { changeItem, readAll } from './change-items.ts'
import { itemColumns, unreadCount } from './read-inbox.ts'
import {
  AllRead,
  ChangeItem,
  InboxItem,
  InboxPage,
  InboxQuery,
  ReadAll,
  Unread,
} from './schemas.ts'
import type { InboxStreams } from './watch-inbox.ts'

const path = '/v1/inbox'

const { open, get, post, patch } = routesOf<Deps & { readonly streams: InboxStreams }>({
  absent: 'inbox_item_not_found',
  permission: 'authenticated',
  added: true,
})

export const inboxRoutes = open({
  listInbox: get(
    path,
    'List or stream your inbox, newest first',
    {
      tool: 'read',
      description:
        'The stream sends inbox.item, inbox.updated, inbox.unread and, after a long absence, inbox.reset. Last-Event-ID resumes it.',
      query: InboxQuery,
      reply: InboxPage,
      headers: { vary: 'accept' },
    },
    {
      handle: async (
        { tx, principal: { tenant_id, id: user_id }, query, list },
        { kernel: { cursors } },
      ) => {
        const { after, fetch } = cursors.start(list)
        const before = (after?.[0] ?? null) as number | null // the cursor is ours: a sequence
        const { unread = false, archived = false } = query
        const rows = await tx.many(
          InboxItem,
          sql`
            select ${itemColumns} from notifications.inbox_items
            where tenant_id = ${tenant_id} and user_id = ${user_id}
              and (not ${unread}::boolean or read_at is null)
              and (archived_at is not null) = ${archived}::boolean
              and (${before}::bigint is null or sequence < ${before}::bigint)
            order by sequence desc limit ${fetch}`,
        )
        const { body, headers } = cursors.page(list, rows, row => [row.sequence])
        return reply(200, body, headers)
      },
      watch: ({ principal: { tenant_id, id: user_id }, request }, { streams }) =>
        Promise.resolve(streams.open({ tenant_id, user_id }, lastEventOf(request), request.signal)),
    },
  ),

  countUnreadInboxItems: get(
    `${path}/unread-count`,
    'Count the unread items of your inbox',
    { tool: 'read', reply: Unread },
    async ({ tx, principal: { tenant_id, id: user_id } }) => ({
      unread_count: await unreadCount(tx, { tenant_id, user_id }),
    }),
  ),

  updateInboxItem: patch(
    `${path}/{id}`,
    'Mark an item as read or archived',
    { body: ChangeItem, reply: InboxItem },
    async ({ tx, params: { id }, principal, body }) => {
      const whose = { tenant_id: principal.tenant_id, user_id: principal.id }
      const item = await changeItem(tx, whose, id, body)
      tx.wake(inbox_topic)
      return item
    },
  ),

  readAllInboxItems: post(
    `${path}/read-all`,
    'Mark all items as read, or those up to a time',
    // A repeat finds nothing unread.
    { idempotency: 'ignored', body: ReadAll, body_optional: true, reply: AllRead },
    async ({ tx, principal, body }) => {
      const whose = { tenant_id: principal.tenant_id, user_id: principal.id }
      const { before } = (body as typeof body | undefined) ?? {} // the body is optional
      const read = await readAll(tx, whose, before)
      tx.wake(inbox_topic)
      return { read, unread_count: await unreadCount(tx, whose) }
    },
  ),
})

function lastEventOf({ headers }: RequestFacts): number | null {
  const given = Number(headers['last-event-id'] ?? Number.NaN)
  return Number.isSafeInteger(given) && given >= 0 ? given : null
}
