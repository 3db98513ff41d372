/**
 * The ways to log in to an account: a password or a mailed code for its address, an identity at a
 * configured provider, a passkey. The last one cannot be removed. The caller holds the account's
 * row lock and has removed one.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { connectionOf } from '../oidc/store-identity.ts'
import type { AccountRow } from '../schemas.ts'

const Left = Type.Object({ some: Type.Boolean() })

export async function requireWayIn(
  tx: Tx,
  { kernel, oidc }: Pick<Deps, 'kernel' | 'oidc'>,
  { id, email }: Pick<AccountRow, 'id' | 'email'>,
): Promise<void> {
  const codes = kernel.settings['identity.login_codes']
  const left = await tx.one(
    Left,
    sql`
      select ${email !== null} and (${codes}
          or exists (select from identity.credentials where account_id = ${id}))
        or exists (select from identity.external_identities e
          where account_id = ${id} and unlinked_at is null
            and (issuer = any(${oidc.issuers as string[]})
              or exists (select from identity.connections c
                where c.id = ${connectionOf(sql`e`)} and c.state = 'active'
                  and c.deleted_at is null)))
        or exists (select from identity.mfa_methods
          where account_id = ${id} and status = 'active' and type = 'passkey') as some`,
  )
  if (!left.some) throw problem('last_credential')
}
