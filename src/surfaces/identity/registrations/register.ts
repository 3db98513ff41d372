/**
 * Registers an account. Known and unknown addresses get the same reply and cost the same work: a
 * hash, a row and a mail. If addresses need not be verified first, an unknown address gets its
 * account immediately. Even then, the address belongs to no account until its mailbox is verified.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, newId, sql, Time, type Bucket, type Tx } from '#dodeca/kernel'
import { Answer, requireCaptcha } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestMail } from '../mails/request.ts'
import { mailsTo } from '../mails-to.ts'
import { issueDerived } from '../one-time.ts'
import { requirePassword } from '../passwords/check-password.ts'
import { DisplayName, Email, Locale, Password, Slug } from '../schemas.ts'
import { changed, Fields, requireProfile } from '../profiles/profile.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import type { Kernel } from '../settings.ts'
import { emailScope, resolveTenant } from '../tenants/resolve-tenant.ts'
import { requireEmail, type Address } from '../accounts/email.ts'
import { accountByAddress, isOwned } from '../accounts/find-account.ts'
import { insertAccount } from '../accounts/insert-account.ts'

export const Register = closed({
  email: Email,
  password: Password,
  tenant: Type.Optional(Slug),
  locale: Type.Optional(Locale),
  display_name: Type.Optional(DisplayName),
  profile: Type.Optional(Fields),
  captcha: Type.Optional(Answer),
})
type Register = Static<typeof Register>

export const Registered = Type.Object(
  {
    id: Id,
    status: Type.Literal('pending_verification'),
    verification_required: Type.Boolean(),
    expires_at: Time,
  },
  { title: 'Registered' },
)
type Registered = Static<typeof Registered>

type Needs = Pick<Deps, 'kernel' | 'hasher'>

type Draft = {
  readonly tenant_id: string
  readonly scope: string
  readonly address: Address
  readonly encoded: string
  readonly body: Register
}

export async function register(deps: Needs, body: Register, seen: Seen): Promise<Registered> {
  const { kernel, hasher } = deps
  const { db } = kernel
  const address = requireEmail(body.email)
  await requirePassword(deps, body.password, address.normalized)
  const tenant = await resolveTenant(db, kernel, body.tenant, seen.headers['host'])
  if (tenant.signup !== 'open') throw problem('signup_closed')
  if (body.profile) await requireProfile(db, tenant.id, changed({}, body.profile, '/profile'))
  await requireCaptcha(deps, { purpose: 'registration', answer: body.captcha })
  const scope = emailScope(kernel, tenant.id)
  await kernel.take(db, [
    registrationsFrom(kernel, seen),
    ...mailsTo(kernel, tenant.id, address.normalized),
  ])
  const encoded = await hasher.hash(body.password)
  return await db.tx(tx =>
    record(tx, deps, { tenant_id: tenant.id, scope, address, encoded, body }),
  )
}

export function registrationsFrom({ settings }: Pick<Kernel, 'settings'>, { ip }: Seen): Bucket {
  const many = settings['identity.registrations_per_hour']
  return { name: 'identity.register', ip, many, per_seconds: 3600 }
}

async function record(tx: Tx, deps: Needs, draft: Draft): Promise<Registered> {
  const { kernel } = deps
  const { tenant_id, scope, address, body } = draft
  const id = newId()
  const { expires_at } = await insertRegistration(tx, deps, draft, id)
  const { key_id } = await issueDerived(tx, kernel.keys, {
    purpose: 'email_verification',
    ref: id,
    tenant_id,
    account_id: null,
    ttl_seconds: kernel.settings['identity.verification_ttl_seconds'],
    details: { email_scope: scope, email_normalized: address.normalized },
  })
  const required = kernel.settings['identity.require_verified_email']
  const known = await accountByAddress(tx, scope, address.normalized)
  if (!known && !required)
    await insertAccount(tx, deps, { ...draft, ...named(body), id, proven: false })
  const owned = known !== undefined && isOwned(known)
  await requestMail(tx, {
    template: owned ? 'address_known' : 'verify_address',
    tenant_id,
    account_id: owned ? known.id : null,
    address: owned ? (known.email ?? address.email) : address.email,
    locale: (owned ? known.locale : body.locale) ?? null,
    ...(owned ? {} : { token: { purpose: 'email_verification', ref: id, key_id } }),
  })
  return { id, status: 'pending_verification', verification_required: required, expires_at }
}

function named({ display_name, locale, profile }: Register) {
  return {
    display_name: display_name ?? null,
    locale: locale ?? null,
    profile: profile ?? null,
  }
}

async function insertRegistration(
  tx: Tx,
  { kernel: { settings }, hasher }: Needs,
  { tenant_id, scope, address, encoded, body }: Draft,
  id: string,
) {
  const sealed = hasher.seal(encoded, { table: 'identity.registrations', id })
  return await tx.one(
    Type.Object({ expires_at: Time }),
    sql`
      insert into identity.registrations (tenant_id, id, email, email_normalized, email_scope,
        password_hash, display_name, locale, profile, expires_at)
      values (${tenant_id}, ${id}, ${address.email}, ${address.normalized}, ${scope}, ${sealed},
        ${body.display_name ?? null}, ${body.locale ?? null},
        ${body.profile ? sql.json(body.profile) : null}::jsonb,
        kernel.now() + make_interval(secs => ${settings['identity.verification_ttl_seconds']}))
      returning expires_at`,
  )
}
