/** Open an account, read it, move money under a key. */
import { newId, problemsOf, reply, route, sql, type Route } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { makeTransfer } from './make-transfer.ts'
import { Account, MakeTransfer, OpenAccount, Transfer } from './schemas.ts'

const problem = problemsOf(errors)

export const routes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/book/accounts',
    summary: 'Open an account',
    permission: 'book.accounts.open',
    added: true,
    body: OpenAccount,
    sends: ['location'],
    fails: ['account_number_taken'],
    replies: { 201: Account },
    handle: async ({ tx, principal, body }) => {
      const account = await tx.one(
        Account,
        sql`
          insert into book.accounts (tenant_id, id, name, balance_minor, number)
          values (${principal.tenant_id}, ${newId()}, ${body.name}, ${body.balance_minor},
            ${body.number ?? null})
          returning id, name, balance_minor, version`,
      )
      return reply(201, account, { location: `/v1/book/accounts/${account.id}` })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/book/accounts/{account_id}',
    summary: 'Read an account',
    permission: 'book.accounts.read',
    added: true,
    absent: 'account_not_found',
    replies: { 200: Account },
    handle: async ({ tx, principal, params }) => {
      const account = await tx.maybe(
        Account,
        sql`
          select id, name, balance_minor, version from book.accounts
          where tenant_id = ${principal.tenant_id} and id = ${params.account_id}`,
      )
      if (!account) throw problem('account_not_found')
      return reply(200, account)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/book/transfers',
    summary: 'Move money',
    permission: 'book.transfers.make',
    idempotency: 'required',
    added: true,
    body: MakeTransfer,
    sends: ['location'],
    fails: ['account_not_found', 'insufficient_funds'],
    replies: { 201: Transfer },
    handle: async ({ tx, principal, body }) => {
      const transfer = await makeTransfer(tx, principal, body)
      return reply(201, transfer, { location: `/v1/book/transfers/${transfer.id}` })
    },
  }),
]
