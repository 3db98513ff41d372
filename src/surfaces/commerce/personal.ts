/**
 * The data that commerce stores about an account: carts, orders, returns. Erasing deletes the carts
 * and removes the buyer's data from orders (`order-pages/erase-orders.ts`).
 */
import { Type } from 'typebox'
import {
  madeOf,
  personalRows,
  sql,
  type Personal,
  type PersonalAccount,
  type Reader,
} from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { eraseOrders } from './order-pages/erase-orders.ts'
import { showOrder } from './orders/order-view.ts'
import { shopSettings } from './rules/records.ts'

const Key = Type.Object({ tenant_id: Type.String(), id: Type.String() })

export function personalCommerce({
  kernel,
  messages,
}: Pick<Deps, 'kernel' | 'messages'>): Personal {
  const { db } = kernel
  const rows = personalRows(db, [
    {
      kind: 'order',
      table: 'commerce.orders',
      owner: 'buyer_id',
      // Each with its returns.
      view: madeOf(Key, key => showOrder(db, key)),
      erase: (tx, { principal_ids }) =>
        eraseOrders(tx, { messages }, sql`t.buyer_id = any(${principal_ids}::uuid[])`),
    },
    {
      kind: 'cart',
      table: 'commerce.carts',
      owner: 'owner_id',
      key: ['owner_id', 'id'],
      view: sql`
        jsonb_build_object('id', t.id, 'state', t.state, 'currency', t.currency,
          'shipping_address', t.shipping_address, 'locale', t.locale, 'discount_codes', t.discount_codes,
          'created_at', t.created_at, 'items', (
            select jsonb_object_agg(i.sku, i.quantity) from commerce.cart_items i
            where i.tenant_id = t.tenant_id and i.owner_id = t.owner_id and i.cart_id = t.id))`,
      erase: {
        set: sql`shipping_address = null`,
        where: sql`t.state = 'locked' and t.shipping_address is not null`,
      },
    },
    {
      kind: 'cart_request',
      table: 'commerce.cart_requests',
      owner: 'owner_id',
      key: ['owner_id', 'cart_id'],
      view: ['request_id', 'cart_id', 'email', 'billing_address', 'created_at'],
      erase: 'delete',
    },
    {
      table: 'commerce.carts',
      owner: ({ principal_ids }) =>
        sql`t.owner_id = any(${principal_ids}::uuid[]) and t.state <> 'locked'`,
      key: ['owner_id', 'id'],
      erase: 'delete',
    },
    {
      table: 'commerce.returns',
      owner: 'buyer_id',
      erase: {
        set: sql`note = null, idempotency_key = null`,
        where: sql`(t.note is not null or t.idempotency_key is not null)`,
      },
    },
    {
      table: 'commerce.shipments',
      owner: 'principal_id',
      erase: { set: sql`idempotency_key = null`, where: sql`t.idempotency_key is not null` },
    },
  ])
  const kept_days = kernel.settings['commerce.guest_kept_days']
  return { ...rows, needs: (reader, account) => needs(reader, account, kept_days) }
}

const Needed = Type.Object({ needed: Type.Boolean() })

/**
 * An order that is not shipped or may still be returned, a return that has not ended, and any order of
 * a guest for some time, because only the account knows that it is theirs.
 */
async function needs(
  reader: Reader,
  { tenant_id, principal_ids }: PersonalAccount,
  kept_days: number,
): Promise<boolean> {
  const { return_window_days } = await shopSettings(reader, tenant_id)
  const { needed } = await reader.one(
    Needed,
    sql`
      select exists (select from commerce.orders o
          where o.tenant_id = ${tenant_id} and o.buyer_id = any(${principal_ids}::uuid[])
            and (o.state in ('pending', 'confirmed')
              or o.guest and o.created_at > kernel.now() - make_interval(days => ${kept_days})
              or o.state = 'fulfilled' and coalesce(o.shipped_at, o.confirmed_at)
                > kernel.now() - make_interval(days => ${return_window_days})))
        or exists (select from commerce.returns r
          where r.tenant_id = ${tenant_id} and r.buyer_id = any(${principal_ids}::uuid[])
            and r.state in ('requested', 'approved', 'received', 'refund_pending',
              'refund_failed')) as needed`,
  )
  return needed
}
