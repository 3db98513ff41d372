/**
 * What commerce keeps about an account: carts, orders, returns. Erasing takes out who the buyer was (mail,
 * addresses, notes) and their carts; lines, sums and numbers stay, as bookkeeping requires.
 */
import { type Static, Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import type { Personal } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { showOrder } from './orders/order-view.ts'

const Owned = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const portion = 100

export function personalCommerce({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  return {
    export: async function* ({ account_id }) {
      for (let after: string | null = null; ;) {
        const last: string | null = after
        const orders: readonly Static<typeof Owned>[] = await db.many(
          Owned,
          sql`
            -- any tenant: what one account ordered
            select tenant_id, id from commerce.orders
            where buyer_id = ${account_id} and (${last}::uuid is null or id > ${last}::uuid)
            order by id limit ${portion}`,
        )
        // With its returns.
        for (const key of orders) yield { kind: 'order', data: await showOrder(db, key) }
        if (orders.length < portion) return
        after = orders.at(-1)?.id ?? null
      }
    },
    erase: async ({ account_id }, signal) => {
      await db.run(sql`
        -- any tenant: what one account owns
        delete from commerce.carts where owner_id = ${account_id} and state <> 'locked'`)
      await db.run(sql`
        -- any tenant: what one account owns
        update commerce.carts
        set shipping_address = null where owner_id = ${account_id} and state = 'locked'`)
      await db.run(sql`
        -- any tenant: what one account wrote
        update commerce.returns set note = null where buyer_id = ${account_id}`)
      const some = () =>
        db.run(sql`
          -- any tenant: what one account ordered
          update commerce.orders
          set email = null, shipping_address = null, billing_address = null
          where (tenant_id, id) in (
            select tenant_id, id from commerce.orders
            where buyer_id = ${account_id} and (email is not null
              or shipping_address is not null or billing_address is not null)
            limit ${portion})`)
      while ((await some()) === portion) signal.throwIfAborted()
    },
  }
}
