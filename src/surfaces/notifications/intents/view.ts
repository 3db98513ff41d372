/** Notifications in replies: the intent and the current state of each channel. */
import { Type, type Static } from 'typebox'
import { columnsOf, sql, type ListContext, type Reader, type Sql } from '#dodeca/kernel'
import { NotificationView } from './schemas.ts'

const { status: _status, channels: _channels, ...columns } = NotificationView.properties
export const IntentRow = Type.Object(columns)
export type IntentRow = Static<typeof IntentRow>

export const intentColumns = columnsOf(IntentRow, 'i')

/** Of each intent `t`: what is not a column of its row. */
export const viewColumns = {
  status: sql`t.state`,
  channels: sql`
    array(
      select jsonb_build_object('channel', a.channel, 'state', a.state, 'reason', a.error_code,
        'next_at', case when a.state in ('pending', 'unknown') then
          to_char(a.next_attempt_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)
      from (
        select distinct on (a.channel, a.target)
          a.channel, a.state, a.error_code, a.next_attempt_at
        from notifications.delivery_attempts a
        where a.tenant_id = t.tenant_id and a.intent_id = t.id
        order by a.channel, a.target, a.attempt_no desc
      ) a)`,
}

export async function findIntent(
  reader: Reader,
  tenant_id: string,
  id: string,
): Promise<NotificationView | undefined> {
  return reader.maybe(
    NotificationView,
    sql`
      select ${columnsOf(NotificationView, 't', viewColumns)}
      from notifications.notification_intents t
      where t.tenant_id = ${tenant_id} and t.id = ${id} and ${acknowledged}`,
  )
}

/** Notifications of a batch can be read only after the batch is dispatched. */
export const acknowledged: Sql = sql`(t.batch_id is null or not exists (
  select from notifications.notification_batches b
  where b.tenant_id = t.tenant_id and b.id = t.batch_id and b.state = 'expanding'))`

/** In a list: the rows of the categories for which the caller has this permission. */
export function ofCategories(permission: string) {
  return async ({ grants }: Pick<ListContext, 'grants'>): Promise<Sql> => {
    const held = [...(await grants())].filter(grant => grant.startsWith(`${permission}:`))
    const categories = held.map(grant => grant.slice(permission.length + 1))
    if (categories.includes('*')) return sql`true`
    return sql`t.category = any(${categories}::text[])`
  }
}
