/**
 * Finds orders whose `dedupe` key was used within its window. One row decides between concurrent
 * requests. A window is free again if the notification that opened it has ended and was certainly
 * not sent: cancelled, suppressed, expired, or failed before a provider could have it.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Order } from './order.ts'
import { textOf } from './recipient.ts'

export async function repeatedAmong(tx: Tx, orders: readonly Order[]): Promise<ReadonlySet<Order>> {
  const found = await Promise.all(
    orders
      .filter(({ dedupe }) => dedupe !== null)
      .map(async order => ((await isRepeated(tx, order)) ? [order] : [])),
  )
  return new Set(found.flat())
}

/**
 * An order whose idempotency key already has a notification creates none, and so opens no window.
 * An order in a digest that failed was perhaps sent with it.
 */
async function isRepeated(tx: Tx, order: Order): Promise<boolean> {
  const { tenant_id, id, principal_id, recipient, category, key, dedupe } = order
  if (!dedupe) return false
  const taken = await tx.run(sql`
    insert into notifications.dedupe_windows as w
      (tenant_id, recipient_ref, category, key, until, intent_id)
    select ${tenant_id}, ${textOf(recipient)}, ${category.name}, ${dedupe.key},
      kernel.now() + make_interval(secs => ${dedupe.window_seconds}), ${id}
    where not exists (
      select from notifications.notification_intents o
      where o.tenant_id = ${tenant_id} and o.principal_id = ${principal_id}
        and o.idempotency_key = ${key})
    on conflict (tenant_id, recipient_ref, category, key)
      do update set until = excluded.until, intent_id = excluded.intent_id
      where w.until <= kernel.now() or exists (
        select from notifications.notification_intents i
        where i.tenant_id = w.tenant_id and i.id = w.intent_id
          and (i.state in ('cancelled', 'suppressed', 'expired')
            or i.state = 'failed' and i.digest_id is null)
          and not exists (
            select from notifications.delivery_attempts a
            where a.tenant_id = i.tenant_id and a.intent_id = i.id
              and (a.state in ('sending', 'accepted', 'delivered', 'unknown', 'bounced', 'complained')
                or a.error_code = 'outcome_unknown')))`)
  return taken === 0
}
