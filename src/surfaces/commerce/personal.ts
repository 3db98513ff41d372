/**
 * The data that commerce stores about an account: carts, orders, returns. Erasing deletes the carts
 * and removes the buyer's data (mail, addresses, notes, keys) from orders. Lines, sums and numbers stay,
 * because bookkeeping requires them. An order that is not sent yet is not sent any more.
 */
import { type Static, Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import { rowsById, type Personal } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { showOrder } from './orders/order-view.ts'

const Owned = Type.Object({ tenant_id: Type.String(), id: Type.String() })
type Owned = Static<typeof Owned>
const Cart = Type.Object({ id: Type.String(), data: Type.Unknown() })
type Cart = Static<typeof Cart>
const portion = 100

export function personalCommerce({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  return {
    export: async function* ({ principal_ids }) {
      const orders = (after: string | null): Promise<Owned[]> =>
        db.many(
          Owned,
          sql`
            -- any tenant: what one account ordered
            select tenant_id, id from commerce.orders
            where buyer_id = any(${principal_ids}::uuid[])
              and (${after}::uuid is null or id > ${after}::uuid)
            order by id limit ${portion}`,
        )
      // Each with its returns.
      for await (const key of rowsById(portion, orders))
        yield { kind: 'order', data: await showOrder(db, key) }
      const carts = (after: string | null): Promise<Cart[]> =>
        db.many(
          Cart,
          sql`
            -- any tenant: what one account owns
            select c.id, jsonb_build_object('id', c.id, 'state', c.state, 'currency', c.currency,
              'shipping_address', c.shipping_address, 'discount_codes', c.discount_codes,
              'created_at', c.created_at, 'items', (
                select jsonb_object_agg(i.sku, i.quantity) from commerce.cart_items i
                where i.tenant_id = c.tenant_id and i.owner_id = c.owner_id
                  and i.cart_id = c.id)) as data
            from commerce.carts c
            where c.owner_id = any(${principal_ids}::uuid[])
              and (${after}::uuid is null or c.id > ${after}::uuid)
            order by c.id limit ${portion}`,
        )
      for await (const { data } of rowsById(portion, carts)) yield { kind: 'cart', data }
    },
    erase: async ({ principal_ids }, signal) => {
      await db.run(sql`
        -- any tenant: what one account owns
        delete from commerce.carts
        where owner_id = any(${principal_ids}::uuid[]) and state <> 'locked'`)
      await db.run(sql`
        -- any tenant: what one account owns
        update commerce.carts set shipping_address = null
        where owner_id = any(${principal_ids}::uuid[]) and state = 'locked'`)
      await db.run(sql`
        -- any tenant: what one account wrote
        update commerce.returns set note = null, idempotency_key = null
        where buyer_id = any(${principal_ids}::uuid[])`)
      await db.run(sql`
        -- any tenant: what one account wrote
        update commerce.shipments set idempotency_key = null
        where principal_id = any(${principal_ids}::uuid[]) and idempotency_key is not null`)
      const some = () =>
        db.run(sql`
          -- any tenant: what one account ordered
          update commerce.orders
          set email = null, shipping_address = null, billing_address = null,
            idempotency_key = null, buyer_erased = true, version = version + 1
          where (tenant_id, id) in (
            select tenant_id, id from commerce.orders
            where buyer_id = any(${principal_ids}::uuid[])
              and not buyer_erased
            limit ${portion})`)
      while ((await some()) === portion) signal.throwIfAborted()
    },
  }
}
