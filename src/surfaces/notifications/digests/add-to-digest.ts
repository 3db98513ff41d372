/**
 * Adds an order to the open digest of its recipient, category and key. A partial unique index
 * allows only one open digest. The statement that adds and the statement that closes wait for each
 * other, so each order is in exactly one digest.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { newId } from '../../../kernel/ids.ts'
import type { DataKeys } from '../vault.ts'
import { insertIntent } from '../intents/insert-intent.ts'
import type { Order } from '../intents/order.ts'
import { textOf } from '../intents/recipient.ts'
import type { IntentRow } from '../intents/view.ts'

const Opened = Type.Object({ id: Id })

/** Returns null if the key already has an intent. */
export async function addToDigest(
  tx: Tx,
  data_keys: DataKeys,
  order: Order,
  { key, window_seconds }: NonNullable<Order['digest']>,
): Promise<IntentRow | null> {
  const { tenant_id, recipient, category, template, priority, locale, channels } = order
  const row = await insertIntent(tx, data_keys, order, 'held', [])
  if (!row) return null
  const kept = { template: template.ref, priority, locale, channels }
  const { id } = await tx.one(
    Opened,
    sql`
      insert into notifications.digests as d
        (tenant_id, id, recipient_ref, category, key, order_of, principal_id, closes_at)
      values (${tenant_id}, ${newId()}, ${textOf(recipient)}, ${category.name}, ${key},
        ${sql.json(kept)}, ${order.principal_id},
        kernel.now() + make_interval(secs => ${window_seconds}))
      on conflict (tenant_id, recipient_ref, category, key) where state = 'open'
        do update set total = d.total + 1
      returning id`,
  )
  await tx.run(sql`
    update notifications.notification_intents set digest_id = ${id}
    where tenant_id = ${tenant_id} and id = ${order.id}`)
  return { ...row, digest_id: id }
}
