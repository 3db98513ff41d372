/**
 * Removes a second factor or a passkey. When the last factor is removed, the recovery codes are
 * removed too. A passkey that is the last way to log in stays.
 */
import { Type } from 'typebox'
import { sql, Version, type Tx } from '#dodeca/kernel'
import { raiseAccountVersion } from '../../accounts/find-account.ts'
import { requireWayIn } from '../../accounts/ways-in.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { notifyOwner } from '../../mails/notify-owner.ts'
import { recordSecurityEvent, type Seen } from '../../security-events/record-security-event.ts'
import { holdAccount } from './hold-account.ts'
import type { Session } from '../holder.ts'
import { methodOf } from './find-methods.ts'
import { dropRecoveryCodes } from './recovery-codes.ts'

export async function removeMethod(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'oidc'>,
  principal: Session,
  method_id: string,
  seen: Seen,
): Promise<void> {
  const { account, active } = await holdAccount(tx, deps, principal)
  const { id: account_id, tenant_id } = account
  const method = await methodOf(tx, account_id, method_id)
  if (!method) throw problem('mfa_method_not_found')
  if (method.status === 'removed') return
  const { version } = await tx.one(
    Type.Object({ version: Version }),
    sql`
      update identity.mfa_methods
      set status = 'removed', encrypted_secret_or_public_key = null, registration_challenge = null,
        version = version + 1
      where tenant_id = ${tenant_id} and id = ${method_id} and status <> 'removed'
      returning version`,
  )
  // A pending factor is removed without an event or a mail.
  if (method.status !== 'active') return
  if (method.type === 'passkey') await requireWayIn(tx, deps, account)
  if (active === 1) await dropRecoveryCodes(tx, account_id)
  await raiseAccountVersion(tx, account_id)
  tx.emit({
    type: 'mfa_method.removed',
    tenant_id,
    aggregate_type: 'mfa_method',
    aggregate_id: method_id,
    aggregate_version: version,
    data: { account_id, method_id, type: method.type },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id,
    action: 'mfa_method.removed',
    actor: account_id,
    seen,
    method: method.type,
  })
  await notifyOwner(tx, account, method.type === 'passkey' ? 'passkey_removed' : 'factor_removed')
}
