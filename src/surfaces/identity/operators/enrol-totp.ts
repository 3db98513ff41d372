/**
 * Adds an authenticator app to an account from the command line, for example for the first
 * administrator. The factor becomes active when its first code is entered. Only then is a replaced
 * factor removed.
 */
import { nil_id, Problem } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { TotpEnrolment, Who } from '../face.ts'
import type { Session } from '../mfa/holder.ts'
import { activateMethod } from '../mfa/methods/activate-method.ts'
import { enrolMethod } from '../mfa/methods/enrol-method.ts'
import { activeMethods } from '../mfa/methods/find-methods.ts'
import { renewRecoveryCodes } from '../mfa/methods/recovery-codes.ts'
import { removeMethod } from '../mfa/methods/remove-method.ts'
import { tenantBySlug } from '../tenants/find-tenant.ts'
import { findAccount } from './find-account.ts'

/** The command line has no request. */
const seen = { ip: '127.0.0.1', headers: {} }

export async function enrolTotp(
  deps: Deps,
  who: Who,
  replace: boolean,
  actor: string,
): Promise<TotpEnrolment> {
  const { kernel } = deps
  const { db } = kernel
  const { id, status } = await findAccount(deps, who)
  if (status !== 'active') throw problem('invalid_transition', { current_state: status })
  const { id: tenant_id } = await tenantBySlug(db, who.tenant)
  const earlier = (await activeMethods(db, id)).filter(one => one.type === 'totp')
  if (earlier.length > 0 && !replace) {
    const detail = `${who.account} has an authenticator already. Add --replace to replace it.`
    throw problem('invalid_transition', { detail })
  }
  // Access to the machine replaces the step-up that changing a factor requires.
  const owner = (): Session => ({
    id,
    tenant_id,
    kind: 'account',
    session_id: nil_id,
    aal: 'aal2',
    auth_time: kernel.clock.nowSeconds(),
  })
  const begun = await db.tx(tx =>
    enrolMethod(tx, deps, owner(), { type: 'totp', label: 'Authenticator' }),
  )
  const { otpauth_uri = '', secret = '' } = begun
  return {
    otpauth_uri,
    secret,
    activate: async code => {
      const activated = await activate(deps, owner(), begun.id, code)
      if (activated === null) return null
      return await db.tx(async tx => {
        for (const one of earlier) await removeMethod(tx, deps, owner(), one.id, seen)
        tx.audit('identity.accounts.enrol_totp', id, { by: { tenant_id, id: actor } })
        // The first factor gets new recovery codes; a later one keeps them.
        return activated.recovery_codes ?? (await renewRecoveryCodes(tx, deps, owner(), seen))
      })
    },
  }
}

/** Returns null if the code is wrong. */
async function activate(deps: Deps, owner: Session, method_id: string, code: string) {
  try {
    return (await activateMethod(deps, owner, method_id, { code }, seen)).activated
  } catch (error) {
    if (error instanceof Problem && error.code === 'mfa_verification_failed') return null
    throw error
  }
}
