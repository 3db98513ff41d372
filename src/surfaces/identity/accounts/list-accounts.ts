/** Lists the accounts of a tenant for its administrators. Erased accounts are left out. */
import { begins, equal, list, named, oneOf, sql } from '#dodeca/kernel'
import { Account, Email } from '../schemas.ts'
import { parseEmail } from './email.ts'

export const listAccounts = list('/v1/accounts', 'List accounts of the tenant, newest first', {
  tool: 'read',
  permission: 'identity.accounts.read',
  added: true,
  from: 'identity.accounts',
  row: Account,
  where: sql`t.status <> 'deleted'`,
  time: 'id',
  filters: {
    kind: equal(oneOf('person', 'anonymous')),
    status: equal(oneOf('invited', 'active', 'disabled')),
    // An invalid address matches no account.
    email: equal(Email, email => sql`t.email_normalized = ${parseEmail(email)?.normalized ?? ''}`),
  },
  sort: { email: { column: 'email_normalized', type: 'text' } },
  find: [begins('email_normalized'), ...named('display_name')],
  shows: ['email', 'display_name'],
})
