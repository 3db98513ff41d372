/**
 * A ticket from a login at an identity provider stands for its account, once. A ticket to link an
 * identity is none, nor is one whose identity was unlinked meanwhile.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { accountColumns } from '../accounts/find.ts'
import { problem } from '../errors.ts'
import { consume } from '../one-time.ts'
import { AccountRow } from '../schemas.ts'

const LoginDetails = Type.Object({ use: Type.Literal('login'), external_identity_id: Id })

export async function redeemTicket(tx: Tx, ticket: string): Promise<AccountRow> {
  const found = await consume(tx, ['oidc_ticket'], ticket)
  const details = found?.details
  if (!found || !Value.Check(LoginDetails, details)) throw problem('invalid_credentials')
  // Held to the commit: a disabling waits, and then ends the session that begins here.
  const account = await tx.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts a
      where a.id = ${found.account_id} and a.status = 'active'
        and exists (select from identity.external_identities e
          where e.id = ${details.external_identity_id} and e.account_id = a.id
            and e.unlinked_at is null)
        and exists (select from identity.tenants t where t.id = a.tenant_id and t.state = 'active')
      for share`,
  )
  if (!account) throw problem('invalid_credentials')
  return account
}
