/**
 * What payments keeps about an account: the payments that it made. Erasing takes out what may describe a
 * person (metadata, notes, payment methods); amounts, states and the ledger stay, as bookkeeping demands.
 */
import { type Static, Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import { madeIn, type Personal } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'

const Payment = Type.Object({
  id: Type.String(),
  order_ref: Type.Union([Type.String(), Type.Null()]),
  amount_minor: Type.Integer(),
  currency: Type.String(),
  state: Type.String(),
  metadata: Type.Unknown(),
  created_at: Type.String(),
})
const portion = 200

export function personalPayments({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  return {
    export: async function* ({ principal_ids }) {
      for (let after: string | null = null; ;) {
        const last: string | null = after
        const payments: readonly Static<typeof Payment>[] = await db.many(
          Payment,
          sql`
            -- any tenant: what one account made
            select id, order_ref, amount_minor, currency, state, metadata, created_at
            from payments.payment_intents
            where created_by = any(${principal_ids}::uuid[]) and (${last}::uuid is null or id > ${last}::uuid)
            order by id limit ${portion}`,
        )
        for (const data of payments) yield { kind: 'payment', data }
        if (payments.length < portion) return
        after = payments.at(-1)?.id ?? null
      }
    },
    erase: async ({ principal_ids, ...erasing }, signal) => {
      for (;;) {
        signal.throwIfAborted()
        const erased = await db.tx(async tx => {
          const made = await tx.many(
            Type.Object({ tenant_id: Type.String(), id: Type.String() }),
            sql`
              -- any tenant: what one account made
              update payments.payment_intents
              set metadata = '{}', provider_customer_ref = null, created_by = null
              where (tenant_id, id) in (
                select tenant_id, id from payments.payment_intents
                where created_by = any(${principal_ids}::uuid[])
                  and ${madeIn(sql`created_at`, erasing)}
                order by id limit ${portion})
              returning tenant_id, id`,
          )
          const ids = made.map(one => one.id)
          await tx.run(sql`
            -- any tenant: what one account made
            update payments.refunds set note = null
            where intent_id = any(${ids}::uuid[]) and note is not null
              and tenant_id = any(${made.map(one => one.tenant_id)}::uuid[])`)
          // An open operation still needs its payment method; it goes with the resolution.
          await tx.run(sql`
            update payments.payment_operations
            set payment_method = null, return_url = null
            where tenant_id = any(${made.map(one => one.tenant_id)}::uuid[])
              and intent_id = any(${ids}::uuid[])
              and state in ('succeeded', 'failed')`)
          return ids.length
        })
        if (erased < portion) return
      }
    },
  }
}
