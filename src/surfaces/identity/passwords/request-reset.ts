/** Requests a mail that resets a password. Known and unknown addresses get the same reply. */
import { Type, type Static } from 'typebox'
import { closed } from '#dodeca/kernel'
import { Answer, requireCaptcha } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { accountByAddress } from '../accounts/find-account.ts'
import { parseEmail } from '../accounts/email.ts'
import { requestDecoyMail } from '../mails/decoy-mail.ts'
import { requestMail } from '../mails/request.ts'
import { issueDerived, sentTo } from '../one-time.ts'
import { insertRequest, type AcceptedRequest } from '../requests.ts'
import { default_tenant_id, Email, Slug } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { emailScope, findTenant } from '../tenants/resolve-tenant.ts'

export const RequestReset = closed({
  email: Email,
  tenant: Type.Optional(Slug),
  captcha: Type.Optional(Answer),
})
type RequestReset = Static<typeof RequestReset>

export async function requestReset(
  deps: Pick<Deps, 'kernel'>,
  body: RequestReset,
  seen: Seen,
): Promise<AcceptedRequest> {
  const { kernel } = deps
  const { settings, db } = kernel
  await requireCaptcha(deps, { purpose: 'password_reset', answer: body.captcha })
  const normalized = parseEmail(body.email)?.normalized ?? ''
  const tenant = await findTenant(db, kernel, body.tenant, seen.headers['host'])
  const tenant_id = tenant?.id ?? default_tenant_id
  const scope = emailScope(kernel, tenant_id)
  await kernel.take(db, [
    {
      name: 'identity.reset_network',
      ip: seen.ip,
      many: settings['identity.resets_per_hour'],
      per_seconds: 3600,
    },
    {
      name: 'identity.reset',
      of: `${scope} ${normalized}`,
      many: settings['identity.resets_per_email_per_hour'],
      per_seconds: 3600,
    },
  ])
  const ttl_seconds = settings['identity.reset_ttl_seconds']
  return await db.tx(async tx => {
    const request = await insertRequest(tx, 'password_reset', tenant_id, ttl_seconds)
    const found = tenant && (await accountByAddress(tx, scope, normalized))
    const account = found?.status === 'active' ? found : undefined
    const { key_id } = await issueDerived(tx, kernel.keys, {
      purpose: 'password_reset',
      ref: request.id,
      tenant_id: account?.tenant_id ?? tenant_id,
      account_id: account?.id ?? null,
      ttl_seconds,
      details: sentTo(normalized),
    })
    await recordSecurityEvent(tx, {
      tenant_id: account?.tenant_id ?? tenant_id,
      account_id: account?.id ?? null,
      action: 'password_reset.requested',
      actor: 'anonymous',
      seen,
    })
    if (account?.email) {
      await requestMail(tx, {
        template: 'reset_password',
        tenant_id: account.tenant_id,
        account_id: account.id,
        address: account.email,
        locale: account.locale,
        token: { purpose: 'password_reset', ref: request.id, key_id },
      })
    } else {
      const about = { template: 'reset_password', purpose: 'password_reset' } as const
      await requestDecoyMail(tx, { ...about, tenant_id, key_id })
    }
    return request
  })
}
