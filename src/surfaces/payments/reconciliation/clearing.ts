/** The ledger's view of the balance of an account, in total and for one balance transaction. */
import { Type } from 'typebox'
import { nil_id, sql, type Reader } from '#dodeca/kernel'
import { accountIdOf } from '../provider/account-key.ts'
import type { OpenProvider } from '../provider/port.ts'

const Movement = Type.Object({ minor: Type.Integer() })

/** Returns how much one balance transaction moved the clearing account. */
export async function movementOf(
  reader: Reader,
  { name }: Pick<OpenProvider, 'name'>,
  { id, intent_id, kind }: { id: string; intent_id: string | null; kind: string },
): Promise<number> {
  const { minor } = await reader.one(
    Movement,
    sql`
      -- any tenant: the provider's ids are unique
      select coalesce(sum(
        case e.direction when 'debit' then e.amount_minor else -e.amount_minor end), 0)::bigint
        as minor
      from payments.ledger_transactions t
      join payments.ledger_entries e on e.transaction_id = t.id
      join payments.ledger_accounts a on a.id = e.account_id and a.type = 'provider_clearing'
        and a.payment_account_id = ${accountIdOf(name) ?? nil_id}
      where t.external_ref = ${id}
        -- a capture may be posted before its balance transaction is known
        or (${kind} = 'charge' and t.intent_id = ${intent_id}::uuid and t.purpose = 'capture'
          and t.external_ref is null)`,
  )
  return minor
}

const Line = Type.Object({
  currency: Type.String(),
  clearing_minor: Type.Integer(),
  recorded_minor: Type.Integer(),
})

/** For each currency: the clearing account, and the net of all recorded balance transactions. */
export function clearingByCurrency(reader: Reader, { name, owner_id }: OpenProvider) {
  return reader.many(
    Line,
    sql`
      -- any tenant: an account has one balance for all of them
      select currency, sum(clearing)::bigint as clearing_minor, sum(net)::bigint as recorded_minor
      from (
        select a.currency, b.debits_minor - b.credits_minor as clearing, 0 as net
        from payments.ledger_accounts a
        join payments.ledger_balances b on b.account_id = a.id
        where a.owner_id = ${owner_id} and a.type = 'provider_clearing'
          and a.payment_account_id = ${accountIdOf(name) ?? nil_id}
        union all
        select currency, 0, net_minor from payments.settlement_records
        where provider = ${name}) one
      group by currency`,
  )
}
