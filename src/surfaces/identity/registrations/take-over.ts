/**
 * Handles the first verification of a mailbox. Until then, anyone may have registered the address.
 * So all earlier credentials of the account are removed in the same transaction: password,
 * sessions, second factors, API keys, identities at providers and one-time tokens. Jobs, links and
 * other things that were set up in the account stop working in every surface, and stay for their
 * owner. If the verified registration is the one that created the account, everything stays.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { consumeAll } from '../one-time.ts'
import { storePassword } from '../passwords/store-password.ts'
import type { Fields } from '../profiles/profile.ts'
import type { AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { acceptInvitation } from '../accounts/accept-invitation.ts'
import { principalsOf, raiseAccountVersion } from '../accounts/find-account.ts'
import { forgetCredentials } from '../accounts/forget-credentials.ts'

export type Claim = {
  /** The registration that is verified; null for a login at a provider. */
  readonly registration_id: string | null
  /** The hash of the new password; null if the account has none from now on. */
  readonly encoded: string | null
  readonly display_name: string | null
  readonly locale: string | null
  readonly profile?: Fields | null
}

type Needs = Pick<Deps, 'kernel' | 'hasher' | 'denied' | 'permissions'>

const Unowned = Type.Object({ invited: Type.Boolean() })

/**
 * Returns false if the mailbox was verified already, or the account has lost the address. The row lock
 * lets only one caller win.
 */
export async function takeOver(
  tx: Tx,
  deps: Needs,
  account: AccountRow,
  claim: Claim,
  seen: Seen,
): Promise<boolean> {
  const { id } = account
  // What the earlier holder of an unproven address said of itself is not the person's.
  const profile =
    claim.registration_id === id ? sql`a.profile` : sql`${sql.json(claim.profile ?? {})}::jsonb`
  const unowned = await tx.maybe(
    Unowned,
    sql`
      with unowned as (
        select id, status from identity.accounts
        where id = ${id} and email_normalized = ${account.email_normalized}
          and verified_at is null and status in ('active', 'invited')
        for update
      )
      update identity.accounts a
      set display_name = coalesce(${claim.display_name}, a.display_name),
        locale = coalesce(${claim.locale}, a.locale),
        profile = ${profile},
        status = 'active', verified_at = kernel.now()
      from unowned where a.id = unowned.id
      returning unowned.status = 'invited' as invited`,
  )
  if (!unowned) return false
  if (id !== claim.registration_id) {
    const { encoded } = claim
    if (encoded) await storePassword(tx, deps, account, encoded, 'registration', seen)
    else await tx.run(sql`delete from identity.credentials where account_id = ${id}`)
    await removeEarlierHolder(tx, deps, account, seen)
  }
  if (unowned.invited) await acceptInvitation(tx, deps, account, seen)
  await announceProven(tx, account, seen)
  return true
}

/** The caller holds the lock on the account's row. */
export async function removeEarlierHolder(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied'>,
  account: Pick<AccountRow, 'id' | 'tenant_id'>,
  seen: Seen,
): Promise<void> {
  const { id } = account
  await revokeSessions(tx, deps, { account_id: id }, 'address_proven', { actor: id, seen })
  await forgetCredentials(tx, account)
  await deps.kernel.personal.suspendEarlier(tx, await principalsOf(tx, account))
  await consumeAll(tx, id, null)
  await tx.run(sql`
    update identity.email_changes set status = 'superseded'
    where account_id = ${id} and status = 'pending'`)
}

/**
 * Emits and records that the mailbox of an account is verified. The caller has set `verified_at`.
 */
export async function announceProven(
  tx: Tx,
  { id, tenant_id }: Pick<AccountRow, 'id' | 'tenant_id'>,
  seen: Seen,
): Promise<void> {
  tx.emit({
    type: 'account.verified',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: await raiseAccountVersion(tx, id),
    data: { account_id: id },
  })
  const about = { tenant_id, account_id: id, actor: id, seen }
  await recordSecurityEvent(tx, { ...about, action: 'account.verified' })
}
