/**
 * Which rows of payments belong to a tenant, where a column `tenant_id` does not say it. Entries of
 * a tenant are booked against accounts of the platform, whose balances are those of the cell's own
 * accounts with its provider. So they cannot be moved to another cell, and are kept as records. Money
 * that is held at the provider could be neither captured nor released without its payment. A payment
 * that waits for its buyer holds no money.
 */
import type { Tenancy } from '#dodeca/kernel'

const books = {
  kept: 'financial records',
  blocks: 'its payments are booked against the accounts of this cell with its provider',
} as const
const provider = 'messages and runs of the provider account of the cell'
const own_account = `exists (
  select from payments.ledger_accounts a where a.id = t.account_id and a.owner_id = $1)`

export const tenancy: Tenancy = {
  'payments.ledger_accounts': { rows: 't.owner_id = $1', ...books },
  'payments.ledger_balances': { rows: own_account, ...books },
  'payments.ledger_transactions': books,
  'payments.ledger_entries': {
    rows: `exists (
      select from payments.ledger_transactions l where l.id = t.transaction_id and l.tenant_id = $1)`,
    ...books,
  },
  'payments.payment_intents': {
    unfinished: {
      rows: `t.state = 'authorized'`,
      reason:
        'the provider holds money for its payments; capture or cancel them (in a disabled tenant: at the provider), or wait until their authorizations have expired',
    },
  },
  'payments.payment_operations': {
    unfinished: {
      rows: `t.state in ('created', 'pending_provider')`,
      reason: 'operations of its payments are open at the provider',
    },
  },
  'payments.provider_cursors': { cell: provider },
  'payments.provider_events': { cell: provider },
  'payments.reconciliation_runs': { cell: provider },
}
