/**
 * The personal data that payments stores about an account: the payments that it made and the
 * refunds that it requested. Erasing deletes everything that may describe a person (metadata,
 * notes, reasons in words, keys). Amounts, states and the ledger stay, because bookkeeping requires them. A payment method
 * is stored only until its operation ends.
 */
import { Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import { rowsById, type Personal } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { own_reasons } from './operations/next-state.ts'

const Record = Type.Object({ kind: Type.String(), id: Type.String(), data: Type.Unknown() })
const Made = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const portion = 200

export function personalPayments({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  return {
    export: async function* ({ principal_ids }) {
      const made = (after: string | null) =>
        db.many(
          Record,
          sql`
            -- any tenant: what one account made
            select kind, id, data from (
              select 'payment' as kind, i.id, jsonb_build_object(
                'id', i.id, 'order_ref', i.order_ref, 'amount_minor', i.amount_minor,
                'currency', i.currency, 'state', i.state, 'metadata', i.metadata,
                'created_at', i.created_at) as data
              from payments.payment_intents i
              where i.created_by = any(${principal_ids}::uuid[])
              union all
              select 'refund', r.id, jsonb_build_object(
                'id', r.id, 'intent_id', r.intent_id, 'amount_minor', r.amount_minor,
                'currency', r.currency, 'state', r.state, 'reason', r.reason, 'note', r.note,
                'created_at', r.created_at)
              from payments.payment_operations o
              join payments.refunds r on r.tenant_id = o.tenant_id and r.operation_id = o.id
              where o.principal_id = any(${principal_ids}::uuid[]) and o.type = 'refund') made
            where ${after}::uuid is null or id > ${after}::uuid
            order by id limit ${portion}`,
        )
      for await (const { kind, data } of rowsById(portion, made)) yield { kind, data }
    },
    erase: async ({ principal_ids }, signal) => {
      await db.run(sql`
        -- any tenant: what one account made
        update payments.refunds r set note = null
        from payments.payment_operations o
        where o.principal_id = any(${principal_ids}::uuid[]) and o.type = 'refund'
          and r.tenant_id = o.tenant_id and r.operation_id = o.id and r.note is not null`)
      await eraseWords(db, principal_ids)
      const some = () =>
        db.tx(async tx => {
          const made = await tx.many(
            Made,
            sql`
              -- any tenant: what one account made
              update payments.payment_intents
              set metadata = '{}', provider_customer_ref = null, created_by = null,
                cancellation_reason = case when cancellation_reason <> all(${own_reasons})
                  then 'requested' else cancellation_reason end
              where (tenant_id, id) in (
                select tenant_id, id from payments.payment_intents
                where created_by = any(${principal_ids}::uuid[])
                order by id limit ${portion})
              returning tenant_id, id`,
          )
          await tx.run(sql`
            -- any tenant: what others noted about the payments of one account
            update payments.refunds set note = null
            where tenant_id = any(${made.map(one => one.tenant_id)}::uuid[])
              and intent_id = any(${made.map(one => one.id)}::uuid[]) and note is not null`)
          await tx.run(sql`
            -- any tenant: why others cancelled the payments of one account
            update payments.payment_operations set reason = 'requested'
            where tenant_id = any(${made.map(one => one.tenant_id)}::uuid[])
              and intent_id = any(${made.map(one => one.id)}::uuid[])
              and type = 'cancel' and reason <> all(${own_reasons})`)
          return made.length
        })
      while ((await some()) === portion) signal.throwIfAborted()
    },
  }
}

/** The reasons that the account gave in words, and its keys. */
async function eraseWords(
  db: Deps['kernel']['db'],
  principal_ids: readonly string[],
): Promise<void> {
  await db.run(sql`
    -- any tenant: what one account made
    update payments.payment_intents i set cancellation_reason = 'requested'
    from payments.payment_operations o
    where o.principal_id = any(${principal_ids}::uuid[]) and o.type = 'cancel'
      and i.tenant_id = o.tenant_id and i.id = o.intent_id
      and i.cancellation_reason <> all(${own_reasons})`)
  await db.run(sql`
    -- any tenant: what one account made
    update payments.payment_operations
    set reason = case when type = 'cancel' and reason <> all(${own_reasons})
      then 'requested' else reason end, idempotency_key = null
    where principal_id = any(${principal_ids}::uuid[]) and idempotency_key is not null`)
}
