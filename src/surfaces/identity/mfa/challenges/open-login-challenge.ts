/**
 * Decides whether a login needs a second factor, and opens the challenge for it. The waiting login
 * has its own row. The session consumes this row. So one waiting login may have many challenges,
 * but it becomes only one session.
 */
import { Type } from 'typebox'
import { Id, newId, nullable, sql, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { hashOf, issueRandom } from '../../one-time.ts'
import type { AccountRow, MfaRequired } from '../../schemas.ts'
import { openChallenge } from './challenges.ts'
import { activeMethods } from '../methods/find-methods.ts'

/** The data of a waiting login: how it began, and which password was used. */
export const LoginDetails = Type.Object({
  amr: Type.Array(Type.String()),
  connection_id: nullable(Id),
  password_changed_at: nullable(Type.String()),
})

/**
 * Returns undefined if the account has no active factor. Then the session begins without a
 * challenge.
 */
export async function openLoginChallenge(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  account: AccountRow,
  began: { readonly amr: readonly string[]; readonly connection_id: string | null },
): Promise<MfaRequired | undefined> {
  const methods = await activeMethods(tx, account.id)
  const [first] = methods
  if (!first) return undefined
  const expires_in = kernel.settings['identity.mfa_challenge_ttl_seconds']
  const about = { tenant_id: account.tenant_id, account_id: account.id }
  const { token, expires_at } = await issueRandom(tx, {
    ...about,
    purpose: 'mfa_login',
    ref: newId(),
    ttl_seconds: expires_in,
    details: { ...began, password_changed_at: await passwordChangedAt(tx, account.id) },
  })
  const { id, type, public_key, ...opened } = await openChallenge(tx, kernel, {
    ...about,
    method: first,
    for: { purpose: 'login', login_hash: hashOf(token), expires_at },
  })
  return {
    id,
    status: 'mfa_required',
    login_token: token,
    expires_in,
    challenge: {
      challenge_id: id,
      type,
      expires_at: opened.expires_at,
      ...(public_key === undefined ? {} : { public_key }),
    },
    methods: methods.map(one => ({ id: one.id, type: one.type, label: one.label })),
  }
}

/** Locked until the commit: a concurrent change of the password either waits or is visible here. */
export async function passwordChangedAt(
  reader: Reader,
  account_id: string,
): Promise<string | null> {
  const found = await reader.maybe(
    Type.Object({ at: Type.String() }),
    sql`
      select password_changed_at::text as at from identity.credentials
      where account_id = ${account_id} for share`,
  )
  return found?.at ?? null
}
