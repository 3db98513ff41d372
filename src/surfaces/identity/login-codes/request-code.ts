/**
 * Mails a code and a link with which the reader of a mailbox logs in. Known and unknown addresses get
 * the same reply and write the same rows. Where no log-in could follow, because the tenant is closed
 * for registrations or the account is disabled, no mail is sent.
 */
import { Type, type Static } from 'typebox'
import { closed, sql, type Reader } from '#dodeca/kernel'
import { requireEmail } from '../accounts/email.ts'
import { accountColumns } from '../accounts/find-account.ts'
import { Answer, requireCaptcha } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestDecoyMail } from '../mails/decoy-mail.ts'
import { requestMail } from '../mails/request.ts'
import { mailsTo } from '../mails-to.ts'
import { issueDerived } from '../one-time.ts'
import type { Address } from '../passwords/prove-password.ts'
import { insertRequest, type AcceptedRequest } from '../requests.ts'
import { AccountRow, Email, Locale, Slug } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { isMember } from '../sessions/attempt.ts'
import type { Kernel } from '../settings.ts'
import { emailScope, resolveTenant } from '../tenants/resolve-tenant.ts'
import type { Details } from './codes.ts'

export const RequestCode = closed({
  email: Email,
  tenant: Type.Optional(Slug),
  locale: Type.Optional(Locale),
  captcha: Type.Optional(Answer),
})
type RequestCode = Static<typeof RequestCode>

const Known = Type.Object({ ...AccountRow.properties, is_member: Type.Boolean() })
type Known = Static<typeof Known>

export async function requestLoginCode(
  deps: Pick<Deps, 'kernel'>,
  { email, tenant: slug, locale, captcha }: RequestCode,
  seen: Seen,
): Promise<AcceptedRequest> {
  const { kernel } = deps
  const { settings, db } = kernel
  if (!settings['identity.login_codes']) throw problem('login_codes_off')
  const address = requireEmail(email)
  const tenant = await resolveTenant(db, kernel, slug, seen.headers['host'])
  const { id: tenant_id } = tenant
  const scope = emailScope(kernel, tenant_id)
  await requireCaptcha(deps, { purpose: 'login_code', answer: captcha })
  await limit(kernel, tenant_id, address.normalized, seen)
  const ttl_seconds = settings['identity.login_code_ttl_seconds']
  const details: Details = {
    email_scope: scope,
    email_normalized: address.normalized,
    email: address.email,
    named: slug ?? null,
    locale: locale ?? null,
  }
  return await db.tx(async tx => {
    const request = await insertRequest(tx, 'login_code', tenant_id, ttl_seconds)
    const known = await accountAt(tx, { scope, normalized: address.normalized }, tenant_id)
    const token = { purpose: 'login_code', ref: request.id } as const
    const issue = { ...token, tenant_id, account_id: null, ttl_seconds, details }
    const { key_id } = await issueDerived(tx, kernel.keys, issue)
    await recordSecurityEvent(tx, {
      tenant_id: known?.tenant_id ?? tenant_id,
      account_id: known?.id ?? null,
      action: 'login_code.requested',
      actor: 'anonymous',
      seen,
    })
    if (known ? mayLogIn(known, slug) : tenant.signup === 'open') {
      await requestMail(tx, {
        template: 'login_code',
        tenant_id: known?.tenant_id ?? tenant_id,
        account_id: known?.id ?? null,
        // Without an account the row is found by this spelling when the address is forgotten.
        address: known?.email ?? address.normalized,
        locale: known?.locale ?? locale ?? null,
        token: { ...token, key_id },
      })
    } else {
      const about = { template: 'login_code', purpose: 'login_code' } as const
      await requestDecoyMail(tx, { ...about, tenant_id, key_id })
    }
    return request
  })
}

function limit(
  kernel: Kernel,
  tenant_id: string,
  normalized: string,
  { ip }: Seen,
): Promise<unknown> {
  const { settings } = kernel
  return kernel.take(kernel.db, [
    {
      name: 'identity.login_code_network',
      ip,
      many: settings['identity.login_codes_network_per_hour'],
      per_seconds: 3600,
    },
    {
      name: 'identity.login_code',
      of: `${tenant_id} ${normalized}`,
      many: settings['identity.login_codes_per_hour'],
      per_seconds: 3600,
    },
    ...mailsTo(kernel, tenant_id, normalized),
  ])
}

function accountAt(
  reader: Reader,
  { scope, normalized }: Address,
  tenant_id: string,
): Promise<Known | undefined> {
  return reader.maybe(
    Known,
    sql`
      select ${accountColumns}, ${isMember(tenant_id)} as is_member
      from identity.accounts a
      where email_scope = ${scope} and email_normalized = ${normalized} and status <> 'deleted'`,
  )
}

/** An invited person accepts the invitation with the code. */
function mayLogIn({ status, is_member }: Known, slug: string | undefined): boolean {
  return (slug === undefined || is_member) && (status === 'active' || status === 'invited')
}
