/** Notifications in replies: the intent and the current state of each channel. */
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, Time, type Reader, type Sql } from '#dodeca/kernel'
import { Channel } from '../schemas.ts'
import { NotificationView } from './schemas.ts'

const { status: _status, channels: _channels, ...columns } = NotificationView.properties
export const IntentRow = Type.Object(columns)
export type IntentRow = Static<typeof IntentRow>

export const intentColumns = sql`i.id, i.tenant_id, i.recipient_ref, i.category, i.priority,
  i.template_version, i.locale, i.data_ref, i.scheduled_at, i.idempotency_key, i.state, i.expires_at,
  i.batch_id, i.digest_id, i.metadata, i.created_at`

const Standing = Type.Object({
  intent_id: Id,
  channel: Channel,
  state: Type.String(),
  reason: nullable(Type.String()),
  next_at: nullable(Time),
})

/** The rows of one tenant, in the given order. */
export async function viewsOf(
  reader: Reader,
  tenant_id: string,
  rows: readonly IntentRow[],
): Promise<NotificationView[]> {
  if (rows.length === 0) return []
  const standings = await reader.many(
    Standing,
    sql`
      select distinct on (a.intent_id, a.channel, a.target) a.intent_id, a.channel, a.state,
        a.error_code as reason,
        case when a.state in ('pending', 'unknown') then a.next_attempt_at end as next_at
      from notifications.delivery_attempts a
      where a.tenant_id = ${tenant_id} and a.intent_id = any(${rows.map(row => row.id)}::uuid[])
      order by a.intent_id, a.channel, a.target, a.attempt_no desc`,
  )
  return rows.map(row => ({
    ...row,
    status: row.state,
    channels: standings
      .filter(one => one.intent_id === row.id)
      .map(({ channel, state, reason, next_at }) => ({ channel, state, reason, next_at })),
  }))
}

export async function findIntent(
  reader: Reader,
  tenant_id: string,
  id: string,
): Promise<IntentRow | undefined> {
  return reader.maybe(
    IntentRow,
    sql`
      select ${intentColumns} from notifications.notification_intents i
      where i.tenant_id = ${tenant_id} and i.id = ${id} and ${acknowledged}`,
  )
}

/** Notifications of a batch can be read only after the batch is dispatched. */
export const acknowledged: Sql = sql`(i.batch_id is null or not exists (
  select from notifications.notification_batches b
  where b.tenant_id = i.tenant_id and b.id = i.batch_id and b.state = 'expanding'))`
