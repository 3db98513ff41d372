/**
 * Unlinks an identity at a provider from its account, unless it is the last way to log in. The row
 * lock of the account orders two removals.
 */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import { accountColumns, raiseAccountVersion } from '../accounts/find-account.ts'
import { requireWayIn } from '../accounts/ways-in.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { AccountRow, Touched } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { requireStepUp } from '../step-up.ts'

const Removed = Type.Object({ tenant_id: Id, provider: Type.String() })

export async function unlinkIdentity(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'oidc'>,
  principal: Principal,
  external_identity_id: string,
  seen: Seen,
): Promise<void> {
  await requireOwnSession(tx, principal)
  await requireStepUp(tx, deps.kernel, principal)
  const { id: account_id } = principal
  // Locked until the commit, so that concurrent removals see each other.
  const owner = await tx.maybe(
    AccountRow,
    sql`select ${accountColumns} from identity.accounts where id = ${account_id} for update`,
  )
  if (!owner) throw problem('external_identity_not_found')
  const removed = await tx.maybe(
    Removed,
    sql`
      update identity.external_identities set subject = null, unlinked_at = kernel.now()
      where id = ${external_identity_id} and account_id = ${account_id} and unlinked_at is null
      returning tenant_id, provider`,
  )
  if (!removed) return await requireGone(tx, account_id, external_identity_id)
  const version = await raiseAccountVersion(tx, account_id)
  await requireWayIn(tx, deps, owner)
  const { tenant_id, provider } = removed
  tx.emit({
    type: 'external_identity.unlinked',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: account_id,
    aggregate_version: version,
    data: { account_id, external_identity_id },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id,
    action: 'external_identity.unlinked',
    actor: account_id,
    seen,
    method: provider,
  })
  await notifyOwner(tx, owner, 'identity_unlinked')
}

/** A repeat returns the same as the first call. */
async function requireGone(tx: Tx, account_id: string, id: string): Promise<void> {
  const gone = await tx.maybe(
    Touched,
    sql`
      select id from identity.external_identities
      where id = ${id} and account_id = ${account_id} and unlinked_at is not null`,
  )
  if (!gone) throw problem('external_identity_not_found')
}
