/**
 * Requests a change of an account's address. The request requires the password. The change takes
 * effect when the authenticated owner sends the mailed token (`prove-email-change.ts`). The reply
 * does not reveal whether another account has the new address. If one owns it, that account gets a
 * notice that contains no token.
 */
import { Type } from 'typebox'
import { newId, sql, Time, type Principal } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestMail } from '../mails/request.ts'
import { mailsTo } from '../mails-to.ts'
import { consumeAll, issueDerived } from '../one-time.ts'
import { passwordIsUnchanged, provePassword } from '../passwords/prove-password.ts'
import type { AcceptedRequest } from '../requests.ts'
import { requirePerson } from '../require-person.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'
import { requireEmail } from '../accounts/email.ts'
import { accountByAddress, accountById, isOwned } from '../accounts/find-account.ts'

type Needs = Pick<Deps, 'kernel' | 'hasher'>

export async function askEmailChange(
  deps: Needs,
  principal: Principal,
  body: { readonly email: string; readonly current_password: string },
): Promise<AcceptedRequest> {
  const { kernel } = deps
  const address = requireEmail(body.email)
  requirePerson(principal)
  const proven = await provePassword(deps, principal.id, body.current_password)
  await kernel.take(kernel.db, mailsTo(kernel, principal.tenant_id, address.normalized))
  return await kernel.db.tx(async tx => {
    if (!(await passwordIsUnchanged(tx, proven, 'update'))) throw problem('invalid_credentials')
    const account = await accountById(tx, principal.id)
    if (!account) throw problem('account_not_found')
    const id = newId()
    const ttl_seconds = kernel.settings['identity.verification_ttl_seconds']
    await tx.run(sql`
      update identity.email_changes set status = 'superseded'
      where account_id = ${account.id} and status = 'pending'`)
    await consumeAll(tx, account.id, ['email_change'])
    const { expires_at } = await tx.one(
      Type.Object({ expires_at: Time }),
      sql`
        insert into identity.email_changes
          (tenant_id, id, account_id, email, email_normalized, expires_at)
        values (${account.tenant_id}, ${id}, ${account.id}, ${address.email},
          ${address.normalized}, kernel.now() + make_interval(secs => ${ttl_seconds}))
        returning expires_at`,
    )
    const { key_id } = await issueDerived(tx, kernel.keys, {
      purpose: 'email_change',
      ref: id,
      tenant_id: account.tenant_id,
      account_id: account.id,
      ttl_seconds,
    })
    const scope = emailScope(kernel, account.tenant_id)
    const held = await accountByAddress(tx, scope, address.normalized)
    const taken = held !== undefined && held.id !== account.id && isOwned(held)
    await requestMail(tx, {
      template: taken ? 'address_known' : 'confirm_new_address',
      tenant_id: account.tenant_id,
      account_id: taken ? held.id : account.id,
      address: taken ? (held.email ?? address.email) : address.email,
      locale: taken ? held.locale : account.locale,
      ...(taken ? {} : { token: { purpose: 'email_change', ref: id, key_id } }),
    })
    return { id, status: 'accepted', expires_at }
  })
}
