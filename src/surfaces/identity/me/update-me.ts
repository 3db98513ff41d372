/**
 * Changes the profile of an account. The condition on the version lets only one of two concurrent
 * writers win. A request that changes nothing keeps the version, so that it invalidates no other
 * client's ETag.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  expectedVersions,
  hasVersion,
  nullable,
  preconditionFailed,
  sql,
} from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { requirePerson } from '../require-person.ts'
import { DisplayName, Locale, Touched } from '../schemas.ts'
import { accountById } from '../accounts/find-account.ts'

export const UpdateMe = closed({
  display_name: Type.Optional(nullable(DisplayName)),
  locale: Type.Optional(nullable(Locale)),
})

export async function updateMe(
  tx: Tx,
  principal: Principal,
  { display_name, locale }: Static<typeof UpdateMe>,
  if_match: string | string[] | undefined,
): Promise<void> {
  requirePerson(principal)
  const { id } = principal
  const versions = expectedVersions(if_match)
  const changed = await tx.maybe(
    Touched,
    sql`
      update identity.accounts
      set display_name = case when ${display_name === undefined} then display_name
          else ${display_name ?? null}::text end,
        locale = case when ${locale === undefined} then locale else ${locale ?? null}::text end,
        version = version + 1
      where id = ${id} and status = 'active'
        and ${hasVersion(versions)}
        and (${display_name !== undefined} and display_name is distinct from ${display_name ?? null}::text
          or ${locale !== undefined} and locale is distinct from ${locale ?? null}::text)
      returning id`,
  )
  if (changed) return
  const account = await accountById(tx, id)
  if (account?.status !== 'active') throw problem('account_not_found')
  if (versions && !versions.includes(account.version)) throw preconditionFailed(account.version)
}
