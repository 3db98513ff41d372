/** A ticket from a login at an identity provider stands for its account, once. */
import type { Tx } from '../../../kernel/database/db.ts'
import { accountById } from '../accounts/find.ts'
import { problem } from '../errors.ts'
import { consume } from '../one-time.ts'
import type { AccountRow } from '../schemas.ts'

export async function redeemTicket(tx: Tx, ticket: string): Promise<AccountRow> {
  const found = await consume(tx, ['oidc_ticket'], ticket)
  const account = found?.account_id ? await accountById(tx, found.account_id) : undefined
  if (account?.status !== 'active') throw problem('invalid_credentials')
  return account
}
