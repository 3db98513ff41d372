/** What an application may know of the person, by its scope (OpenID Connect Core, 5.3 and 5.4). */
import type { Principal, Reader } from '#dodeca/kernel'
import { accountById } from '../accounts/find-account.ts'
import { problem } from '../errors.ts'
import { claimsFor } from '../profiles/claims.ts'
import { requirePerson } from '../require-person.ts'
import type { UserInfo } from './schemas.ts'

export async function readUserInfo(reader: Reader, principal: Principal): Promise<UserInfo> {
  requirePerson(principal)
  const account = await accountById(reader, principal.id)
  if (!account) throw problem('account_not_found')
  const { email, verified_at, display_name, locale } = account
  const may = (word: string) => !principal.scope || principal.scope.has(word)
  const profile = {
    ...(display_name !== null && { name: display_name }),
    ...(locale !== null && { locale }),
  }
  const address = email !== null && { email, email_verified: verified_at !== null }
  const scope = principal.scope ? [...principal.scope] : null
  const about = { account_id: account.id, tenant_id: principal.tenant_id, scope } as const
  return {
    ...(await claimsFor(reader, { ...about, place: 'userinfo' })),
    sub: account.id,
    ...(may('profile') ? profile : {}),
    ...(may('email') && address ? address : {}),
  }
}
