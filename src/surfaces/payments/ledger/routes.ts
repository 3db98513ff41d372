/**
 * Routes of the ledger. A tenant sees its own accounts and transactions. The platform's accounts
 * are visible to callers who may read reconciliations. A transaction shows its cause: operation,
 * provider object and request.
 */
import { Type } from 'typebox'
import { lacks } from '../../../kernel/access/permission-denied.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, Id, oneOf, page, pageQuery, text, Time } from '../../../kernel/http/shapes.ts'
import { platform_tenant } from '../deps.ts'
import { problem } from '../errors.ts'
import { refuseCardData } from '../intents/card-data.ts'
import { Account, accountColumns, balanceAt, currentSums } from './balances.ts'
import { reverseTransaction } from './reverse-transaction.ts'
import { showTransactions, Transaction } from './show-transactions.ts'

const platform_books = 'payments.reconciliations.read'

const accounts = '/v1/ledger/accounts'
const transactions = '/v1/ledger/transactions'
const owner = Type.Optional(oneOf('tenant', 'platform'))

export function ledgerRoutes(): readonly Route[] {
  return [listAccounts(), getAccount(), listTransactions(), getTransaction(), reverseRoute()]
}

type Grants = () => Promise<ReadonlySet<string>>

/**
 * Returns whose books are read: the caller's own, or the platform's if the caller asks for the
 * platform's and has the permission.
 */
async function ownerOf(
  tenant_id: string,
  asked: 'tenant' | 'platform' | undefined,
  grants: Grants,
): Promise<string> {
  if (asked !== 'platform') return tenant_id
  if (!(await grants()).has(platform_books)) throw lacks(platform_books)
  return platform_tenant
}

function listAccounts(): Route {
  return route({
    method: 'GET',
    path: accounts,
    name: 'listLedgerAccounts',
    summary: 'List ledger accounts with their balances',
    permission: 'payments.ledger.read',
    asks_grants: true,
    added: true,
    query: pageQuery({
      owner,
      type: Type.Optional(text(50)),
      currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    }),
    replies: { 200: page(Account) },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, query, grants, list }) => {
      const owner_id = await ownerOf(principal.tenant_id, query.owner, grants)
      const { type = null, currency = null } = query
      const { body, headers } = await pageOf(tx, {
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
      return reply(200, body, headers)
    },
  })
}

function getAccount(): Route {
  const absent = 'ledger_account_not_found'
  return route({
    method: 'GET',
    path: `${accounts}/{id}`,
    name: 'getLedgerAccount',
    summary: 'Get a ledger account with its balance, now or at a past time',
    permission: 'payments.ledger.read',
    asks_grants: true,
    added: true,
    absent,
    query: closed({ at: Type.Optional(Time) }),
    replies: { 200: Account },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal, query: { at }, grants }) => {
      const platform = (await grants()).has(platform_books)
      const account = await tx.maybe(
        Account,
        sql`
          select ${accountColumns} from payments.ledger_accounts a ${currentSums}
          where a.id = ${id} and (a.owner_id = ${principal.tenant_id}
            or (${platform} and a.owner_type = 'platform'))`,
      )
      if (!account) throw problem(absent)
      return reply(200, at === undefined ? account : await balanceAt(tx, account, at))
    },
  })
}

function listTransactions(): Route {
  return route({
    method: 'GET',
    path: transactions,
    name: 'listLedgerTransactions',
    summary: 'List ledger transactions with their entries, newest first',
    permission: 'payments.ledger.read',
    asks_grants: true,
    added: true,
    query: pageQuery({
      owner,
      intent_id: Type.Optional(Id),
      operation_id: Type.Optional(Id),
    }),
    replies: { 200: page(Transaction) },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, query, grants, list }) => {
      const tenant_id = await ownerOf(principal.tenant_id, query.owner, grants)
      const { intent_id = null, operation_id = null } = query
      const { body, headers } = await pageOf(tx, {
        scope: list,
        row: Transaction,
        place: ['id'],
        fetch: (after, n) =>
          showTransactions(tx, {
            tenant_id,
            intent_id,
            operation_id,
            before: after.id,
            limit: n,
          }),
      })
      return reply(200, body, headers)
    },
  })
}

function getTransaction(): Route {
  const absent = 'ledger_transaction_not_found'
  return route({
    method: 'GET',
    path: `${transactions}/{id}`,
    name: 'getLedgerTransaction',
    summary: 'Get a ledger transaction and the reason for it',
    permission: 'payments.ledger.read',
    asks_grants: true,
    added: true,
    absent,
    replies: { 200: Transaction },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal, grants }) => {
      const platform = (await grants()).has(platform_books)
      const owners = [principal.tenant_id, ...(platform ? [platform_tenant] : [])]
      for (const tenant_id of owners) {
        const [found] = await showTransactions(tx, { tenant_id, id, limit: 1 })
        if (found) return reply(200, found)
      }
      throw problem(absent)
    },
  })
}

function reverseRoute(): Route {
  const absent = 'ledger_transaction_not_found'
  return route({
    method: 'POST',
    path: `${transactions}/{transaction_id}/reverse`,
    name: 'reverseLedgerTransaction',
    summary: 'Correct the ledger: reverse a transaction, once',
    description:
      'The new transaction has the same entries on the other sides, and `reverses_id` names the old one. No money moves at the provider: use a refund for that.',
    permission: 'payments.ledger.reverse',
    added: true,
    idempotency: 'required',
    absent,
    body: closed({ reason: text(500) }, { title: 'ReverseLedgerTransaction' }),
    inspectBody: refuseCardData,
    unknown_members: 'refused',
    sends: ['location'],
    replies: { 201: Transaction },
    fails: [absent, 'already_reversed', 'card_data_refused'],
    handle: async ({ tx, params, principal, body: { reason } }) => {
      const { transaction_id: id } = params
      const made = await reverseTransaction(tx, id)
      tx.audit({
        tenant_id: principal.tenant_id,
        actor: principal.id,
        action: 'payments.ledger.reverse',
        target: `ledger_transaction:${id}`,
        outcome: 'done',
        reason,
      })
      return reply(201, made, { location: `${transactions}/${made.id}` })
    },
  })
}
