/** Lists notifications of a tenant, newest first, of the categories that the caller may read. */
import type { Static } from 'typebox'
import { sql, type ListScope, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { NotificationQuery } from './schemas.ts'
import type { Caller } from './read-notification.ts'
import { acknowledged, intentColumns, IntentRow, viewsOf } from './view.ts'

const permission = 'notifications.intents.read:'

export async function listNotifications(
  reader: Reader,
  { kernel: { cursors } }: Pick<Deps, 'kernel'>,
  { principal: { tenant_id }, grants }: Caller,
  query: Static<typeof NotificationQuery>,
  list: ListScope,
) {
  const readable = [...grants].flatMap(grant =>
    grant.startsWith(permission) ? [grant.slice(permission.length)] : [],
  )
  const { after, fetch } = cursors.start(list)
  const before = (after?.[0] ?? null) as string | null // the cursor is ours: an id
  const { user_id, category, state, batch_id } = query
  const rows = await reader.many(
    IntentRow,
    sql`
      select ${intentColumns} from notifications.notification_intents i
      where i.tenant_id = ${tenant_id} and ${acknowledged}
        and (${readable.includes('*')} or i.category = any(${readable}::text[]))
        and (${user_id ?? null}::uuid is null or i.recipient_ref = 'user:' || ${user_id ?? null}::uuid)
        and (${category ?? null}::text is null or i.category = ${category ?? null})
        and (${state ?? null}::text is null or i.state = ${state ?? null})
        and (${batch_id ?? null}::uuid is null or i.batch_id = ${batch_id ?? null})
        and (${before}::uuid is null or i.id < ${before}::uuid)
      order by i.id desc
      limit ${fetch}`,
  )
  const { body, headers } = cursors.page(list, rows, row => [row.id])
  return { body: { ...body, data: await viewsOf(reader, tenant_id, body.data) }, headers }
}
