/**
 * Reverses a transaction by request: the same entries on the other sides, linked to it. This
 * corrects the ledger and moves no money at the provider. A unique index lets only one of several
 * reversals through.
 */
import { Type } from 'typebox'
import { Id, nil_id, nullable, oneOf, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { account_types, post } from './post-transaction.ts'
import { findTransaction, type Transaction } from './transaction-row.ts'

const Posted = Type.Object({
  tenant_id: Id,
  intent_id: nullable(Id),
  payment_account_id: nullable(Id),
  currency: Type.String(),
  legs: Type.Array(
    Type.Object({
      account: oneOf(...account_types),
      side: oneOf('debit', 'credit'),
      amount_minor: Type.Integer(),
    }),
  ),
})

export async function reverseTransaction(tx: Tx, id: string): Promise<Transaction> {
  const posted = await tx.maybe(
    Posted,
    sql`
      -- any tenant: for the operator of the platform
      select t.tenant_id, t.intent_id, nullif(t.payment_account_id, ${nil_id}) as payment_account_id,
        e.currency, jsonb_agg(jsonb_build_object(
          'account', a.type, 'amount_minor', e.amount_minor,
          'side', case e.direction when 'debit' then 'credit' else 'debit' end)
          order by e.line) as legs
      from payments.ledger_transactions t
      join payments.ledger_entries e on e.transaction_id = t.id
      join payments.ledger_accounts a on a.id = e.account_id
      where t.id = ${id}
      group by t.tenant_id, t.intent_id, t.payment_account_id, e.currency`,
  )
  if (!posted) throw problem('ledger_transaction_not_found')
  const reversal = await post(tx, {
    ...posted,
    purpose: 'reversal',
    reverses_id: id,
    description: `Reversal of transaction ${id}`,
  })
  if (reversal === undefined) throw problem('already_reversed')
  const shown = await findTransaction(tx, [posted.tenant_id], reversal)
  if (!shown) throw new Error('the reversal was posted')
  return shown
}
