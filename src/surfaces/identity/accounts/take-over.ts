/**
 * An account whose address nobody had proven goes to the registration that proved it: with its password,
 * without the sessions, factors, keys and links of whoever was there before. The person who made the
 * account by this very registration keeps what is theirs.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { storePassword } from '../passwords/store.ts'
import type { AccountRow } from '../schemas.ts'
import type { Seen } from '../security/record.ts'
import { revokeSessions } from '../sessions/revoke.ts'
import { forgetCredentials } from './forget-credentials.ts'

export type Claim = {
  readonly id: string
  readonly display_name: string | null
  readonly locale: string | null
}

/** False where the account is owned already; the row lock lets one claim win. */
export async function takeOver(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'hasher' | 'denied'>,
  account: AccountRow,
  claim: Claim,
  encoded: string,
  seen: Seen,
): Promise<boolean> {
  const unowned = await tx.maybe(
    Type.Object({ id: Id }),
    sql`
      update identity.accounts
      set display_name = coalesce(${claim.display_name}, display_name),
        locale = coalesce(${claim.locale}, locale)
      where id = ${account.id} and verified_at is null and status in ('active', 'invited')
      returning id`,
  )
  if (!unowned) return false
  if (account.id === claim.id) return true
  await storePassword(tx, deps, account, encoded, 'registration', seen)
  await revokeSessions(tx, deps, { account_id: account.id }, 'address_proven', {
    actor: account.id,
    seen,
  })
  await forgetCredentials(tx, account)
  return true
}
