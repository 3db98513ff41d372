/**
 * Requests a change of an account's address. The request requires the password, except from an
 * anonymous account, which has none and becomes a person with its first address. The change takes
 * effect when the authenticated owner sends the mailed token (`prove-email-change.ts`). The reply
 * does not reveal whether another account has the new address. If one owns it, that account gets a
 * notice that contains no token.
 */
import { Type, type Static } from 'typebox'
import { closed, newId, requireScope, sql, text, Time } from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import { Answer, requireCaptcha } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestMail } from '../mails/request.ts'
import { mailsTo } from '../mails-to.ts'
import { consumeAll, issueDerived } from '../one-time.ts'
import { passwordIsUnchanged, provePassword } from '../passwords/prove-password.ts'
import type { AcceptedRequest } from '../requests.ts'
import { requirePerson } from '../require-person.ts'
import { registrationsFrom } from '../registrations/register.ts'
import { Email, type AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { emailScope, maySignUp } from '../tenants/resolve-tenant.ts'
import { requireEmail, type Address } from '../accounts/email.ts'
import { accountByAddress, accountById, isOwned } from '../accounts/find-account.ts'

type Needs = Pick<Deps, 'kernel' | 'hasher'>

export const ChangeEmail = closed({
  email: Email,
  current_password: Type.Optional(text(1024)),
  captcha: Type.Optional(Answer),
})
type ChangeEmail = Static<typeof ChangeEmail>

export async function askEmailChange(
  deps: Needs,
  principal: Principal,
  body: ChangeEmail,
  seen: Seen,
): Promise<AcceptedRequest> {
  const { kernel } = deps
  const address = requireEmail(body.email)
  requirePerson(principal)
  const mails = mailsTo(kernel, principal.tenant_id, address.normalized)
  const holder = await accountById(kernel.db, principal.id)
  if (holder?.kind === 'anonymous') {
    // It is a registration in all but name, so it has the same limits.
    await requireCaptcha(deps, { purpose: 'registration', answer: body.captcha })
    await kernel.take(kernel.db, [registrationsFrom(kernel, seen), ...mails])
    return await kernel.db.tx(tx => record(tx, deps, principal.id, address, 'anonymous'))
  }
  requireScope(principal)
  const proven = await provePassword(deps, principal.id, passwordIn(body))
  await kernel.take(kernel.db, mails)
  return await kernel.db.tx(async tx => {
    if (!(await passwordIsUnchanged(tx, proven, 'update'))) throw problem('invalid_credentials')
    return await record(tx, deps, principal.id, address, 'person')
  })
}

function passwordIn({ current_password }: ChangeEmail): string {
  if (current_password !== undefined) return current_password
  const wrong = { location: 'body', pointer: '/current_password', constraint: 'required' } as const
  throw problem('validation_failed', { errors: [wrong] })
}

async function record(
  tx: Tx,
  { kernel }: Needs,
  account_id: string,
  address: Address,
  kind: AccountRow['kind'],
): Promise<AcceptedRequest> {
  await tx.run(sql`select from identity.accounts where id = ${account_id} for update`)
  const account = await accountById(tx, account_id)
  if (account?.status !== 'active') throw problem('account_not_found')
  // It has become a person meanwhile, who has to confirm with a password.
  if (account.kind !== kind) throw problem('invalid_credentials')
  if (kind === 'anonymous' && !(await maySignUp(tx, account.tenant_id))) {
    throw problem('signup_closed')
  }
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
}
