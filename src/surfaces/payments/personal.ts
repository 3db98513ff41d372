/**
 * The personal data that payments stores about an account: the payments that it made, the refunds
 * that it requested, and its customers with their saved methods. Erasing deletes everything that may describe a person (metadata,
 * notes, reasons in words, keys). Amounts, states and the ledger stay, because bookkeeping requires them. A payment method
 * is stored only until its operation ends.
 */
import { Type } from 'typebox'
import {
  personalRows,
  sql,
  type Personal,
  type PersonalAccount,
  type Reader,
  type Sql,
  type Tx,
} from '#dodeca/kernel'
import { customerRows, eraseCustomers } from './customers/personal-customers.ts'
import type { Deps } from './deps.ts'
import { own_reasons } from './operations/state-after-answer.ts'

const Made = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const portion = 200

export function personalPayments({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  const rows = personalRows(db, [
    {
      kind: 'payment',
      table: 'payments.payment_intents',
      owner: 'created_by',
      view: ['id', 'order_ref', 'amount_minor', 'currency', 'state', 'metadata', 'created_at'],
    },
    {
      kind: 'refund',
      table: 'payments.refunds',
      owner: ({ principal_ids }) => sql`
        (t.tenant_id, t.operation_id) in (
          select o.tenant_id, o.id from payments.payment_operations o
          where o.principal_id = any(${principal_ids}::uuid[]) and o.type = 'refund')`,
      view: [
        'id',
        'intent_id',
        'amount_minor',
        'currency',
        'state',
        'reason',
        'note',
        'created_at',
      ],
      erase: { set: sql`note = null`, where: sql`t.note is not null` },
    },
    {
      table: 'payments.payment_intents',
      owner: ({ principal_ids }) => sql`
        (t.tenant_id, t.id) in (
          select o.tenant_id, o.intent_id from payments.payment_operations o
          where o.principal_id = any(${principal_ids}::uuid[]) and o.type = 'cancel')`,
      erase: {
        set: sql`cancellation_reason = 'requested'`,
        where: sql`t.cancellation_reason <> all(${own_reasons})`,
      },
    },
    ...customerRows,
    {
      kind: 'payer',
      table: 'payments.request_payers',
      key: ['request_id'],
      owner: typedBy,
      view: ['request_id', 'email', 'created_at'],
    },
    {
      table: 'payments.payment_operations',
      owner: 'principal_id',
      erase: {
        set: sql`
          reason = case when type = 'cancel' and reason <> all(${own_reasons})
            then 'requested' else reason end, idempotency_key = null`,
        where: sql`t.idempotency_key is not null`,
      },
    },
    erasePayments,
  ])
  return {
    ...rows,
    needs,
    hide: async (tx, account) => {
      await tx.run(sql`
        -- any tenant: the condition begins with the tenant
        delete from payments.request_payers t where ${typedBy(account)}`)
      // Later work does not know the address.
      while ((await eraseCustomers(tx, account)) > 0);
    },
  }
}

/** Payers have no account. What was typed with a proven address is that of its owner. */
function typedBy({ tenant_id, address = '' }: PersonalAccount): Sql {
  return sql`t.tenant_id = ${tenant_id} and lower(t.email) = lower(${address})`
}

const Needed = Type.Object({ needed: Type.Boolean() })

/** Money of the account is held, on its way or disputed. */
async function needs(reader: Reader, { principal_ids }: PersonalAccount): Promise<boolean> {
  const { needed } = await reader.one(
    Needed,
    sql`
      -- any tenant: the payments of one person
      select exists (select from payments.payment_intents i
        where i.created_by = any(${principal_ids}::uuid[])
          and (i.state = 'authorized' and i.authorization_expires_at > kernel.now()
            or i.amount_refund_pending_minor > 0
            or exists (select from payments.payment_operations o
              where o.tenant_id = i.tenant_id and o.intent_id = i.id
                and o.state in ('created', 'pending_provider'))
            or exists (select from payments.disputes d
              where d.tenant_id = i.tenant_id and d.intent_id = i.id
                and d.state in ('warning', 'needs_response', 'under_review')))) as needed`,
  )
  return needed
}

/** Also what others wrote about these payments. Returns how many payments there were. */
async function erasePayments(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
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
}
