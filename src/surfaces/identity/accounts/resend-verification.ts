/** Sends the proof of an address again, to whoever waits for one; the answer is the same for all. */
import type { Deps } from '../deps.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Type } from 'typebox'
import { nullable } from '../../../kernel/http/shapes.ts'
import { requestMailToNobody } from '../mails/decoy-mail.ts'
import { requestMail } from '../mails/request.ts'
import { issueDerived } from '../one-time.ts'
import { insertRequest, type AcceptedRequest } from '../requests.ts'
import type { Seen } from '../security/record.ts'
import { emailScope, findTenant } from '../tenants/resolve.ts'
import { default_tenant_id } from '../schemas.ts'
import { parseEmail } from './email.ts'

const Waiting = Type.Object({ email: Type.String(), locale: nullable(Type.String()) })

export async function resendVerification(
  { kernel, throttle }: Pick<Deps, 'kernel' | 'throttle'>,
  body: { readonly email: string; readonly tenant?: string | undefined },
  { ip, headers }: Seen,
): Promise<AcceptedRequest> {
  const { settings, db } = kernel
  const normalized = parseEmail(body.email)?.normalized ?? ''
  const tenant = await findTenant(db, kernel, body.tenant, headers['host'])
  const tenant_id = tenant?.id ?? default_tenant_id
  const scope = emailScope(kernel, tenant_id)
  const per_hour = settings['identity.registrations_per_hour']
  const attempt = await throttle.take([
    ...throttle.network('resend', ip, per_hour, 3600 / per_hour),
    throttle.recipient(normalized),
  ])
  attempt.keep()
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
      await requestMailToNobody(tx, { ...about, tenant_id, key_id })
    }
    return request
  })
}
