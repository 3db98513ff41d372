/**
 * Changes a password after the old password was verified. This session stays, and every other
 * session ends.
 */
import type { Principal } from '#dodeca/kernel'
import { accountById } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { consumeAll } from '../one-time.ts'
import { requirePerson } from '../require-person.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { requirePassword } from './check-password.ts'
import { passwordIsUnchanged, provePassword } from './prove-password.ts'
import { storePassword } from './store-password.ts'

export async function changePassword(
  deps: Deps,
  principal: Principal,
  body: { readonly current_password: string; readonly new_password: string },
  seen: Seen,
): Promise<void> {
  const { kernel, hasher } = deps
  requirePerson(principal)
  const account = await accountById(kernel.db, principal.id)
  if (account?.status !== 'active') throw problem('account_not_found')
  await requirePassword(deps, body.new_password, account.email_normalized, '/new_password')
  const proven = await provePassword(deps, account.id, body.current_password)
  const encoded = await hasher.hash(body.new_password)
  const { id } = account
  await kernel.db.tx(async tx => {
    if (!(await passwordIsUnchanged(tx, proven, 'update'))) throw problem('invalid_credentials')
    await storePassword(tx, deps, account, encoded, 'change', seen)
    await revokeSessions(
      tx,
      deps,
      { account_id: id, except: principal.session_id },
      'password_change',
      { actor: id, seen },
    )
    await consumeAll(tx, id, ['password_reset', 'mfa_login'])
    await notifyOwner(tx, account, 'password_changed')
  })
}
