/**
 * Invariants of money that hold between any two transactions. `dodeca doctor` and the chaos tests
 * check them.
 */
import { Type } from 'typebox'
import { sql, type Check, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

type MakeCheck = (name: string, says: string, statement: Sql) => Check

export function checks({ kernel: { db } }: Deps): readonly Check[] {
  const check: MakeCheck = (name, says, statement) => ({
    name: `payments.${name}`,
    says,
    run: async () => (await db.many(Fault, statement)).map(row => row.says),
  })
  return [...ledgerChecks(check), ...paymentChecks(check)]
}

function ledgerChecks(check: MakeCheck): Check[] {
  return [
    check(
      'ledger_transactions',
      'Each ledger transaction has entries whose debits equal its credits in each currency',
      sql`
        -- any tenant: all books
        select 'transaction ' || t.id || ' is not balanced' as says
        from payments.ledger_transactions t
        left join payments.ledger_entries e on e.transaction_id = t.id
        group by t.id, e.currency
        having count(e.line) < 2
          or sum(case e.direction when 'debit' then e.amount_minor else -e.amount_minor end) <> 0
        limit 100`,
    ),
    check(
      'ledger_balances',
      'The stored sums of each account are the sums of its entries',
      sql`
        select 'account ' || a.id || ' keeps other sums than its entries have' as says
        from payments.ledger_accounts a
        left join lateral (
          select sum(debits_minor) as debits, sum(credits_minor) as credits
          from payments.ledger_balances where account_id = a.id) kept on true
        left join lateral (
          select sum(amount_minor) filter (where direction = 'debit') as debits,
            sum(amount_minor) filter (where direction = 'credit') as credits
          from payments.ledger_entries where account_id = a.id) entered on true
        where coalesce(kept.debits, 0) <> coalesce(entered.debits, 0)
          or coalesce(kept.credits, 0) <> coalesce(entered.credits, 0)
        limit 100`,
    ),
    check(
      'ledger_guards',
      'The database itself refuses changes of the ledger and unbalanced transactions',
      sql`
        select guard || ' is missing or disabled' as says
        from unnest(array[
          'ledger_transactions_append_only', 'ledger_transactions_no_truncate',
          'ledger_entries_append_only', 'ledger_entries_no_truncate',
          'ledger_transactions_balanced', 'ledger_entries_are_new']) as guard
        where not exists (
          select 1 from pg_trigger
          where tgname = guard and tgenabled in ('O', 'A')
            and tgrelid in (
              'payments.ledger_transactions'::regclass, 'payments.ledger_entries'::regclass))`,
    ),
    check(
      'ledger_trial_balance',
      'Over all accounts, debits equal credits in each currency',
      sql`
        select currency || ' is off by ' || sum(
          case direction when 'debit' then amount_minor else -amount_minor end) as says
        from payments.ledger_entries group by currency
        having sum(case direction when 'debit' then amount_minor else -amount_minor end) <> 0`,
    ),
  ]
}

function paymentChecks(check: MakeCheck): Check[] {
  return [
    check(
      'captures',
      'Each captured payment was posted once, with its amount',
      sql`
        select 'payment ' || i.id || ' captured ' || i.amount_captured_minor || ' but posted '
          || coalesce(sum(e.amount_minor), 0) as says
        from payments.payment_intents i
        left join payments.ledger_transactions t
          on t.tenant_id = i.tenant_id and t.intent_id = i.id and t.purpose = 'capture'
        left join payments.ledger_entries e on e.transaction_id = t.id and e.direction = 'debit'
        where i.state = 'captured'
        group by i.tenant_id, i.id
        having coalesce(sum(e.amount_minor), 0) <> i.amount_captured_minor
        limit 100`,
    ),
    check(
      'refunds',
      'The refund amounts of each payment are the sums of its refunds',
      sql`
        select 'payment ' || i.id || ' counts other refunds than it has' as says
        from payments.payment_intents i
        left join lateral (
          select coalesce(sum(amount_minor) filter (where state = 'succeeded'), 0) as refunded,
            coalesce(sum(amount_minor) filter (where state = 'pending'), 0) as pending
          from payments.refunds r
          where r.tenant_id = i.tenant_id and r.intent_id = i.id) sums on true
        where i.amount_refunded_minor <> sums.refunded
          or i.amount_refund_pending_minor <> sums.pending
        limit 100`,
    ),
    requestCheck(check),
    check(
      'balance',
      "Reconciliation found no lasting difference between the ledger and the provider's balance",
      sql`
        -- any tenant: drifts are the platform's
        select details ->> 'currency' || ': the ledger has ' || (details ->> 'clearing_minor')
          || ', the provider ' || (details ->> 'provider_minor') as says
        from payments.reconciliation_items
        where discrepancy = 'balance_drift' and state = 'open'
        limit 100`,
    ),
    check(
      'operations',
      'No operation is in doubt without something that will end it',
      sql`
        select 'operation ' || o.id || ' is open and nothing looks at it' as says
        from payments.payment_operations o
        where o.state in ('created', 'pending_provider') and o.due_at is null
          and not exists (
            select 1 from payments.reconciliation_items n
            where n.tenant_id = o.tenant_id and n.state = 'open'
              and n.local_ref in (o.id::text, o.intent_id::text))
        limit 100`,
    ),
  ]
}

function requestCheck(check: MakeCheck): Check {
  return check(
    'requests',
    'Each payment request has one payment that holds or took money, and a paid one has it',
    sql`
      select 'request ' || r.id || ' is ' || r.state || ' and has ' || count(i.id)
        || ' live payments' as says
      from payments.payment_requests r
      left join payments.payment_intents i
        on i.tenant_id = r.tenant_id and i.request_id = r.id
          and i.state in ('authorized', 'captured')
      where (r.link_id is not null or r.uses = 1) and r.lines is null
      group by r.tenant_id, r.id
      having count(i.id) > 1 or (r.state = 'paid' and count(i.id) <> 1)
      limit 100`,
  )
}
