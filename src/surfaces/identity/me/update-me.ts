/**
 * Changes the name, the language and the profile of an account. The condition on the version lets only one of two concurrent
 * writers win. A request that changes nothing keeps the version, so that it invalidates no other
 * client's ETag.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  expectedVersions,
  hasVersion,
  Id,
  nullable,
  preconditionFailed,
  sql,
} from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { requirePerson } from '../require-person.ts'
import { DisplayName, Locale, Versioned } from '../schemas.ts'
import { announceChanged } from '../accounts/announce-changed.ts'
import { accountById } from '../accounts/find-account.ts'
import { changed, Fields, requireProfile } from '../profiles/profile.ts'

export const UpdateMe = closed({
  display_name: Type.Optional(nullable(DisplayName)),
  locale: Type.Optional(nullable(Locale)),
  profile: Type.Optional(nullable(Fields)),
})

export async function updateMe(
  tx: Tx,
  principal: Principal,
  { display_name, locale, profile: patch }: Static<typeof UpdateMe>,
  if_match: string | string[] | undefined,
): Promise<void> {
  requirePerson(principal)
  const { id } = principal
  const versions = expectedVersions(if_match)
  const profile = patch === undefined ? null : await profileAfter(tx, id, patch)
  const json = profile && sql.json(profile)
  const updated = await tx.maybe(
    Versioned,
    sql`
      update identity.accounts
      set display_name = case when ${display_name === undefined} then display_name
          else ${display_name ?? null}::text end,
        locale = case when ${locale === undefined} then locale else ${locale ?? null}::text end,
        profile = coalesce(${json}::jsonb, profile),
        version = version + 1
      where id = ${id} and status = 'active'
        and ${hasVersion(versions)}
        and (${display_name !== undefined} and display_name is distinct from ${display_name ?? null}::text
          or ${locale !== undefined} and locale is distinct from ${locale ?? null}::text
          or profile <> ${json}::jsonb)
      returning tenant_id, version`,
  )
  if (updated) return announceChanged(tx, { id, ...updated })
  const account = await accountById(tx, id)
  if (account?.status !== 'active') throw problem('account_not_found')
  if (versions && !versions.includes(account.version)) throw preconditionFailed(account.version)
}

const Stored = Type.Object({ tenant_id: Id, profile: Fields })

/** Locks the account, so that two patches do not undo each other. */
async function profileAfter(tx: Tx, id: string, patch: Fields | null): Promise<Fields> {
  const before = await tx.maybe(
    Stored,
    sql`
      select tenant_id, profile from identity.accounts
      where id = ${id} and status = 'active' for update`,
  )
  if (!before) throw problem('account_not_found')
  const after = changed(before.profile, patch, '/profile')
  await requireProfile(tx, before.tenant_id, after)
  return after
}
