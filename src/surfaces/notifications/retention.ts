/** Rows of notifications that are deleted when they are too old. */
import { sql, type Retention } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'

const portion = 1000

export function retention({ settings }: Pick<Kernel, 'settings'>): readonly Retention[] {
  const before = (days: number) => sql`kernel.now() - make_interval(days => ${days}::int)`
  const intents = before(settings['notifications.intents_retention_days'])
  const inputs = before(settings['notifications.inputs_retention_days'])
  const reports = before(settings['notifications.provider_events_retention_days'])
  const items = before(settings['notifications.inbox_retention_days'])
  return [
    {
      table: 'notifications.provider_events',
      key: ['provider', 'event_id'],
      where: sql`t.received_at < ${reports}`,
    },
    {
      table: 'notifications.inbox_items',
      key: ['tenant_id', 'user_id', 'id'],
      where: sql`t.created_at < ${items}`,
    },
    {
      table: 'notifications.dedupe_windows',
      key: ['tenant_id', 'recipient_ref', 'category', 'key'],
      where: sql`t.until < kernel.now()`,
    },
    {
      table: 'notifications.removed_ids',
      key: ['tenant_id', 'id'],
      where: sql`t.removed_at < ${inputs}`,
    },
    {
      statement: sql`
        -- any tenant: what is too old is deleted for all of them
        delete from notifications.notification_inputs where (tenant_id, ref) in (
          select n.tenant_id, n.ref from notifications.notification_intents i
          join notifications.notification_inputs n
            on n.tenant_id = i.tenant_id and n.ref = i.data_ref
          where i.created_at < ${inputs} and i.state not in ('scheduled', 'held')
          limit ${portion})`,
    },
    {
      statement: sql`
        -- any tenant: what is too old is deleted for all of them
        with old as (
          delete from notifications.notification_intents where (tenant_id, id) in (
            select tenant_id, id from notifications.notification_intents
            where created_at < ${intents} and state not in ('scheduled', 'held', 'processing')
            limit ${portion})
          returning tenant_id, id
        ),
        decisions as (
          delete from notifications.decisions d using old
          where d.tenant_id = old.tenant_id and d.intent_id = old.id
        ),
        attempts as (
          delete from notifications.delivery_attempts a using old
          where a.tenant_id = old.tenant_id and a.intent_id = old.id
        )
        -- A full portion of notifications means that there are more, however many attempts each had.
        select from old`,
    },
  ]
}
