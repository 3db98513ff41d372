/** A new set of recovery codes, for an account that has a factor for which they may stand in. */
import type { Tx } from '../../../../kernel/database/db.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { tellOwner } from '../../mails/tell-owner.ts'
import { recordSecurityEvent, type Seen } from '../../security/record.ts'
import { demandStepUp } from '../../step-up.ts'
import { holdAccount } from './hold-account.ts'
import type { Session } from '../holder.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'

export async function renewRecoveryCodes(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  principal: Session,
  seen: Seen,
): Promise<string[]> {
  await demandStepUp(tx, deps.kernel, principal)
  const { account, active } = await holdAccount(tx, deps, principal)
  if (active === 0) throw problem('mfa_method_not_found')
  await recordSecurityEvent(tx, {
    tenant_id: account.tenant_id,
    account_id: account.id,
    action: 'recovery_codes.renewed',
    actor: account.id,
    seen,
  })
  await tellOwner(tx, account, 'recovery_codes_renewed')
  return await replaceRecoveryCodes(tx, deps.kernel.keys, account)
}
