/**
 * A transaction with its entries, which traces each cent to the request and the provider object
 * that caused it.
 */
import { type Static, Type } from 'typebox'
import { Amount, columnsOf, Id, nullable, oneOf, sql, Time, type Reader } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 255 })

const Entry = Type.Object(
  {
    transaction_id: Id,
    account_id: Id,
    account_type: Short,
    owner_type: oneOf('platform', 'tenant'),
    direction: oneOf('debit', 'credit'),
    amount_minor: Amount,
    currency: Type.String({ minLength: 3, maxLength: 3 }),
  },
  { title: 'LedgerEntry' },
)

export const Transaction = Type.Object(
  {
    id: Id,
    operation_id: nullable(Id),
    intent_id: nullable(Id),
    purpose: Short,
    description: Type.String({ maxLength: 500 }),
    effective_at: Time,
    reverses_id: nullable(Id),
    entries: Type.Array(Entry, { maxItems: 20 }),
    why: Type.Object({
      /** The provider's balance transaction. */
      external_ref: nullable(Short),
      /** The provider's objects: the payment, and the object that the operation created. */
      provider_handle: nullable(Short),
      provider_operation_id: nullable(Short),
      /** Webhooks that named the payment. */
      provider_events: Type.Array(Short, { maxItems: 20 }),
      /** The request that caused the posting, or null if the platform posted by itself. */
      request_id: nullable(Id),
    }),
  },
  { title: 'LedgerTransaction' },
)
export type Transaction = Static<typeof Transaction>

/** Of the transaction `t`. */
export const transactionExpressions = {
  entries: sql`
    (select jsonb_agg(jsonb_build_object(
        'transaction_id', e.transaction_id, 'account_id', e.account_id,
        'account_type', a.type, 'owner_type', a.owner_type,
        'direction', e.direction, 'amount_minor', e.amount_minor, 'currency', e.currency)
        order by e.line)
      from payments.ledger_entries e
      join payments.ledger_accounts a on a.id = e.account_id
      where e.transaction_id = t.id)`,
  why: sql`
    (select jsonb_build_object(
        'external_ref', t.external_ref, 'provider_handle', i.provider_handle,
        'provider_operation_id', o.provider_operation_id, 'request_id', t.request_id,
        'provider_events', coalesce((
          select jsonb_agg(v.event_id) from (
            select event_id from payments.provider_events
            where provider = i.provider and object_ref = i.provider_handle
            order by received_at limit 20) v), '[]'))
      from (values (t.tenant_id)) own (tenant_id)
      left join payments.payment_intents i on i.tenant_id = own.tenant_id and i.id = t.intent_id
      left join payments.payment_operations o
        on o.tenant_id = own.tenant_id and o.id = t.operation_id)`,
}

/** The transaction, if it is of one of these tenants. */
export async function findTransaction(
  reader: Reader,
  tenant_ids: readonly string[],
  id: string,
): Promise<Transaction | undefined> {
  return await reader.maybe(
    Transaction,
    sql`
      select ${columnsOf(Transaction, 't', transactionExpressions)}
      from payments.ledger_transactions t
      where t.tenant_id = any(${tenant_ids}::uuid[]) and t.id = ${id}`,
  )
}
