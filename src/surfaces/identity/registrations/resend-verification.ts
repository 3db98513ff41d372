/** Sends the verification of an address again if one is pending. The reply is always the same. */
import type { Deps } from '../deps.ts'
import { nullable, sql } from '#dodeca/kernel'
import { Type } from 'typebox'
import { requestDecoyMail } from '../mails/decoy-mail.ts'
import { requestMail } from '../mails/request.ts'
import { mailsTo } from '../mails-to.ts'
import { issueDerived } from '../one-time.ts'
import { insertRequest, type AcceptedRequest } from '../requests.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { emailScope, findTenant } from '../tenants/resolve-tenant.ts'
import { default_tenant_id } from '../schemas.ts'
import { parseEmail } from '../accounts/email.ts'

const Waiting = Type.Object({ email: Type.String(), locale: nullable(Type.String()) })

export async function resendVerification(
  { kernel }: Pick<Deps, 'kernel'>,
  body: { readonly email: string; readonly tenant?: string | undefined },
  { ip, headers }: Seen,
): Promise<AcceptedRequest> {
  const { settings, db } = kernel
  const normalized = parseEmail(body.email)?.normalized ?? ''
  const tenant = await findTenant(db, kernel, body.tenant, headers['host'])
  const tenant_id = tenant?.id ?? default_tenant_id
  const scope = emailScope(kernel, tenant_id)
  const many = settings['identity.registrations_per_hour']
  await kernel.take(db, [
    { name: 'identity.resend', ip, many, per_seconds: 3600 },
    ...mailsTo(kernel, tenant_id, normalized),
  ])
  const ttl_seconds = settings['identity.verification_ttl_seconds']
  return await db.tx(async tx => {
    const request = await insertRequest(tx, 'email_verification', tenant_id, ttl_seconds)
    const { key_id } = await issueDerived(tx, kernel.keys, {
      purpose: 'email_verification',
      ref: request.id,
      tenant_id,
      account_id: null,
      ttl_seconds,
      details: { email_scope: scope, email_normalized: normalized },
    })
    const waiting = await tx.maybe(
      Waiting,
      sql`
        select email, locale from identity.registrations
        where email_scope = ${scope} and email_normalized = ${normalized}
          and state = 'pending' and expires_at > kernel.now() and ${tenant !== undefined}
        order by id desc limit 1`,
    )
    if (waiting) {
      await requestMail(tx, {
        template: 'verify_address',
        tenant_id,
        account_id: null,
        address: waiting.email,
        locale: waiting.locale,
        token: { purpose: 'email_verification', ref: request.id, key_id },
      })
    } else {
      const about = { template: 'verify_address', purpose: 'email_verification' } as const
      await requestDecoyMail(tx, { ...about, tenant_id, key_id })
    }
    return request
  })
}
