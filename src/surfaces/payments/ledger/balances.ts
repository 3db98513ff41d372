/**
 * Balances. The current sums are updated with every posting. The sums at a past time are computed
 * backwards from the current ones.
 */
import { type Static, Type } from 'typebox'
import { Id, nil_id, nullable, oneOf, sql, type Reader } from '#dodeca/kernel'

const Signed = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})

export const Account = Type.Object(
  {
    id: Id,
    owner_type: oneOf('platform', 'tenant'),
    owner_id: Id,
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    type: Type.String({ maxLength: 50 }),
    payment_account_id: nullable(Id),
    normal_side: oneOf('debit', 'credit'),
    debits_minor: Signed,
    credits_minor: Signed,
    /**
     * The balance on the account's normal side. A negative balance means that the account owes
     * money.
     */
    balance_minor: Signed,
  },
  { title: 'LedgerAccount' },
)
export type Account = Static<typeof Account>

const Sums = Type.Object({ debits_minor: Type.Integer(), credits_minor: Type.Integer() })

export const accountColumns = sql`
  a.id, a.owner_type, a.owner_id, a.currency, a.type, a.normal_side,
  nullif(a.payment_account_id, ${nil_id}) as payment_account_id,
  sums.debits_minor, sums.credits_minor,
  case a.normal_side when 'debit' then sums.debits_minor - sums.credits_minor
    else sums.credits_minor - sums.debits_minor end as balance_minor`

/** At most 16 rows for each account, however many entries it has. */
export const currentSums = sql`
  cross join lateral (
    select coalesce(sum(b.debits_minor), 0)::bigint as debits_minor,
      coalesce(sum(b.credits_minor), 0)::bigint as credits_minor
    from payments.ledger_balances b where b.account_id = a.id) sums`

/** Returns the sums at a past time: the current sums minus everything that was posted since. */
export async function balanceAt(reader: Reader, account: Account, at: string): Promise<Account> {
  const later = await reader.one(
    Sums,
    sql`
      select
        coalesce(sum(amount_minor) filter (where direction = 'debit'), 0)::bigint as debits_minor,
        coalesce(sum(amount_minor) filter (where direction = 'credit'), 0)::bigint as credits_minor
      from payments.ledger_entries
      where account_id = ${account.id} and effective_at > ${at}::timestamptz`,
  )
  const debits_minor = account.debits_minor - later.debits_minor
  const credits_minor = account.credits_minor - later.credits_minor
  const sign = account.normal_side === 'debit' ? 1 : -1
  return {
    ...account,
    debits_minor,
    credits_minor,
    balance_minor: sign * (debits_minor - credits_minor),
  }
}
