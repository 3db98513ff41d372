/**
 * Routes of the ledger. A tenant sees its own accounts and transactions. The platform's accounts
 * are visible to callers who may read reconciliations. A transaction shows its cause: operation,
 * provider object and request.
 */
import { Type } from 'typebox'
import { closed, equal, Id, lacks, oneOf, page, routesOf, sql, text, Time } from '#dodeca/kernel'
import { platform_tenant, type Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { refuseCardData } from '../intents/card-data.ts'
import { Account, accountColumns, balanceAt, currentSums } from './balances.ts'
import { reverseTransaction } from './reverse-transaction.ts'
import { findTransaction, Transaction, transactionExpressions } from './transaction-row.ts'

const platform_books = 'payments.reconciliations.read'

const accounts = '/v1/ledger/accounts'
const transactions = '/v1/ledger/transactions'

const Owner = oneOf('tenant', 'platform')
type Grants = () => Promise<ReadonlySet<string>>

const { open, get, list, create } = routesOf<Deps>({
  absent: 'ledger_transaction_not_found',
  read: 'payments.ledger.read',
  write: 'payments.ledger.reverse',
  added: true,
})

export const ledgerRoutes = open({
  listLedgerAccounts: list(
    accounts,
    'List ledger accounts with their balances',
    {
      asks_grants: true,
      item: Account,
      filters: {
        owner: Type.Optional(Owner),
        type: Type.Optional(text(50)),
        currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
      },
      fails: ['permission_denied'],
    },
    async ({ tx, principal, query, grants, list }) => {
      const { owner, type = null, currency = null } = query
      const { tenant } = await booksOf(owner, grants)
      const owner_id = tenant ?? principal.tenant_id
      return page(tx, {
        scope: list,
        row: Account,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${accountColumns} from payments.ledger_accounts a ${currentSums}
          where a.owner_id = ${owner_id}
            and (${type}::text is null or a.type = ${type})
            and (${currency}::text is null or a.currency = ${currency})
            and (${after.id}::uuid is null or a.id < ${after.id}::uuid)
          order by a.id desc
          limit ${n}`,
      })
    },
  ),

  getLedgerAccount: get(
    `${accounts}/{id}`,
    'Get a ledger account with its balance, now or at a past time',
    {
      asks_grants: true,
      absent: 'ledger_account_not_found',
      query: closed({ at: Type.Optional(Time) }),
      reply: Account,
    },
    async ({ tx, params: { id }, principal, query: { at }, grants }) => {
      const platform = (await grants()).has(platform_books)
      const account = await tx.maybe(
        Account,
        sql`
          select ${accountColumns} from payments.ledger_accounts a ${currentSums}
          where a.id = ${id} and (a.owner_id = ${principal.tenant_id}
            or (${platform} and a.owner_type = 'platform'))`,
      )
      if (!account) throw problem('ledger_account_not_found')
      return at === undefined ? account : await balanceAt(tx, account, at)
    },
  ),

  listLedgerTransactions: list(
    transactions,
    'List ledger transactions with their entries, newest first',
    {
      description: '`since` and `until` refer to `effective_at`. `until` is exclusive.',
      from: 'payments.ledger_transactions',
      row: Transaction,
      columns: transactionExpressions,
      within: async ({ query, grants }) => await booksOf(query['owner'], grants),
      time: { column: 'effective_at', ids: 'id' },
      filters: {
        owner: equal(Owner, () => sql`true`),
        intent_id: equal(Id),
        operation_id: equal(Id),
        external_ref: equal(text(255)),
      },
      find: [],
      fails: ['permission_denied'],
    },
  ),

  getLedgerTransaction: get(
    `${transactions}/{id}`,
    'Get a ledger transaction and the reason for it',
    { asks_grants: true, reply: Transaction },
    async ({ tx, params: { id }, principal, grants }) => {
      const platform = (await grants()).has(platform_books)
      const owners = [principal.tenant_id, ...(platform ? [platform_tenant] : [])]
      const found = await findTransaction(tx, owners, id)
      if (!found) throw problem('ledger_transaction_not_found')
      return found
    },
  ),

  reverseLedgerTransaction: create(
    `${transactions}/{transaction_id}/reverse`,
    'Correct the ledger: reverse a transaction, once',
    {
      description:
        'The new transaction has the same entries on the other sides, and `reverses_id` names the old one. No money moves at the provider: use a refund for that.',
      idempotency: 'required',
      body: closed({ reason: text(500) }, { title: 'ReverseLedgerTransaction' }),
      inspectBody: refuseCardData,
      reply: Transaction,
      location: `${transactions}/{id}`,
      fails: ['already_reversed', 'card_data_refused'],
    },
    async ({ tx, params, body: { reason } }) => {
      const { transaction_id: id } = params
      const made = await reverseTransaction(tx, id)
      tx.audit('payments.ledger.reverse', `ledger_transaction:${id}`, { reason })
      return made
    },
  ),
})

/** The caller's own books, or the platform's if the caller asks for them and has the permission. */
async function booksOf(owner: string | undefined, grants: Grants) {
  if (owner !== 'platform') return { is: sql`true` }
  if (!(await grants()).has(platform_books)) throw lacks(platform_books)
  return { is: sql`true`, tenant: platform_tenant, needs: platform_books }
}
