/**
 * Logs in. An unknown account, a wrong password or tenant, an unverified address and a disabled
 * account cost the same work, count the same and get the same reply. An attempt is counted before the
 * hash is computed, and the count is undone on success. No connection is held while hashing, so a
 * reset may commit meanwhile. The transaction therefore checks again that the verified password is
 * still valid.
 */
import { Type, type Static } from 'typebox'
import { logFailure, nil_id, nullable, sql, text, type Taken, type Tx } from '#dodeca/kernel'
import { parseEmail } from '../accounts/email.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { openLoginChallenge } from '../mfa/challenges/open-login-challenge.ts'
import { redeemTicket } from '../oidc/use-ticket.ts'
import {
  guesses,
  passwordBucket,
  passwordIsUnchanged,
  type Address,
} from '../passwords/prove-password.ts'
import {
  AccountRow,
  Bytes,
  default_tenant_id,
  Delivery,
  DeviceName,
  Email,
  OneTimeToken,
  Slug,
  type MfaRequired,
} from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { emailScope, findTenant } from '../tenants/resolve-tenant.ts'
import type { Delivered } from './deliver-tokens.ts'
import { knownDevice } from './device-token.ts'
import { issueSession } from './issue-session.ts'

export const LogIn = Type.Object(
  {
    email: Type.Optional(Email),
    password: Type.Optional(text(1024)),
    tenant: Type.Optional(Slug),
    oidc_ticket: Type.Optional(OneTimeToken),
    device_name: Type.Optional(DeviceName),
    device_token: Type.Optional(text(300)),
    delivery: Type.Optional(Delivery),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['email', 'password'] }, { required: ['oidc_ticket'] }],
  },
)
export type LogIn = Static<typeof LogIn>

const Candidate = Type.Object({
  ...AccountRow.properties,
  password_hash: nullable(Bytes),
  password_changed_at: nullable(Type.String()),
  is_member: Type.Boolean(),
})
type Candidate = Static<typeof Candidate>

export type LoggedIn =
  | { readonly kind: 'session'; readonly delivered: Delivered }
  | { readonly kind: 'mfa'; readonly required: MfaRequired }

export async function logIn(deps: Deps, body: LogIn, seen: Seen): Promise<LoggedIn> {
  const { oidc_ticket } = body
  if (oidc_ticket !== undefined) {
    return await deps.kernel.db.tx(async tx => {
      const redeemed = await redeemTicket(tx, deps, oidc_ticket, seen)
      return begin(tx, deps, { ...redeemed, stands: Promise.resolve(true) }, body, seen)
    })
  }
  return await byPassword(deps, body, seen)
}

async function byPassword(deps: Deps, body: LogIn, seen: Seen): Promise<LoggedIn> {
  const { kernel, hasher } = deps
  const { email = '', tenant: slug } = body
  const tenant = await findTenant(kernel.db, kernel, slug, seen.headers['host'])
  const address = {
    scope: emailScope(kernel, tenant?.id ?? nil_id),
    normalized: parseEmail(email)?.normalized ?? email,
  }
  const candidate = tenant && (await candidateOf(deps, address, tenant.id))
  const attempt = await takeAttempt(deps, { address, body, candidate, seen })
  try {
    const encoded = candidate?.password_hash
      ? hasher.open(candidate.password_hash, { table: 'identity.credentials', id: candidate.id })
      : null
    const fits = await hasher.verify(body.password ?? '', encoded)
    if (!fits || !candidate || !mayLogIn(deps, candidate, slug)) {
      await failed(deps, attempt, candidate, seen)
      throw problem('invalid_credentials')
    }
    const result = await kernel.db.tx(async tx => {
      attempt.giveBackWith(tx)
      const stands = passwordIsUnchanged(tx, candidate, 'share')
      return begin(tx, deps, { account: accountOf(candidate), amr: ['pwd'], stands }, body, seen)
    })
    if (encoded && hasher.isWeak(encoded)) await strengthen(deps, candidate, body.password ?? '')
    return result
  } catch (error) {
    // Any other failure was not a guess. Ending the attempt a second time does nothing.
    await attempt.giveBack()
    throw error
  }
}

function accountOf(candidate: Candidate): AccountRow {
  const { id, tenant_id, email, email_normalized, status } = candidate
  const { verified_at, display_name, locale, version, created_at } = candidate
  const name = { display_name, locale, version, created_at }
  return { id, tenant_id, email, email_normalized, status, verified_at, ...name }
}

function candidateOf(
  { kernel }: Deps,
  { scope, normalized }: Address,
  tenant_id: string,
): Promise<Candidate | undefined> {
  return kernel.db.maybe(
    Candidate,
    sql`
      select a.id, a.tenant_id, a.email, a.email_normalized, a.status, a.verified_at,
        a.display_name, a.locale, a.version, a.created_at, c.password_hash,
        c.password_changed_at::text as password_changed_at,
        a.tenant_id = ${tenant_id} or exists (select from identity.role_assignments r
          where r.account_id = a.id and r.tenant_id = ${tenant_id}) as is_member
      from identity.accounts a
      left join identity.credentials c on c.account_id = a.id
      where a.email_scope = ${scope} and a.email_normalized = ${normalized}
        and a.status <> 'deleted'`,
  )
}

type Guess = {
  readonly address: Address
  readonly body: LogIn
  readonly candidate: Candidate | undefined
  readonly seen: Seen
}

/** The bucket does not depend on whether the address has an account, so neither do the replies. */
async function takeAttempt(deps: Deps, { address, body, candidate, seen }: Guess): Promise<Taken> {
  const { kernel } = deps
  const { settings } = kernel
  const device = knownDevice(kernel, candidate?.id ?? null, body.device_token)
  const burst = settings['identity.login_device_burst']
  const interval_seconds = settings['identity.login_account_interval_seconds']
  const many = settings['identity.login_network_burst']
  try {
    return await kernel.take(kernel.db, [
      {
        name: 'identity.login_network',
        ip: seen.ip,
        many,
        per_seconds: many * settings['identity.login_network_interval_seconds'],
      },
      device
        ? guesses('identity.login_device', device, burst, interval_seconds)
        : passwordBucket(kernel, address),
    ])
  } catch (error) {
    await record(deps, 'login.throttled', candidate, seen)
    throw error
  }
}

async function failed(
  deps: Deps,
  attempt: Taken,
  candidate: Candidate | undefined,
  seen: Seen,
): Promise<void> {
  attempt.keep()
  await record(deps, 'login.failed', candidate, seen)
}

async function record(
  { kernel }: Deps,
  action: string,
  candidate: Candidate | undefined,
  seen: Seen,
): Promise<void> {
  await recordSecurityEvent(kernel.db, {
    tenant_id: candidate?.tenant_id ?? default_tenant_id,
    account_id: candidate?.id ?? null,
    action,
    actor: 'anonymous',
    seen,
    method: 'pwd',
  })
}

/** A person who names a tenant must be a member or a guest of it. */
function mayLogIn(
  { kernel }: Deps,
  { status, verified_at, is_member }: Candidate,
  slug: string | undefined,
): boolean {
  const required = kernel.settings['identity.require_verified_email']
  const is_here = slug === undefined || is_member
  return is_here && status === 'active' && (verified_at !== null || !required)
}

type Shown = {
  readonly account: AccountRow
  readonly amr: readonly string[]
  /** Whether a second factor was verified already, by the provider. */
  readonly strong?: boolean
  /** The connection at which it was. */
  readonly connection_id?: string | null
  /** Checks in this transaction whether the verified values are still valid. */
  readonly stands: Promise<boolean>
}

async function begin(
  tx: Tx,
  deps: Deps,
  { account, amr, strong = false, connection_id = null, stands }: Shown,
  { device_name, delivery }: LogIn,
  request: Seen,
): Promise<LoggedIn> {
  const began = { amr, connection_id }
  // The statements are sent together. If a value is no longer valid, everything is rolled back.
  const [stood, required] = await Promise.all([
    stands,
    strong ? undefined : openLoginChallenge(tx, deps, account, began),
  ])
  if (!stood) throw problem('invalid_credentials')
  if (required) return { kind: 'mfa', required }
  const aal = strong ? 'aal2' : 'aal1'
  const proven = { account, aal, ...began, device_name, delivery, request } as const
  const delivered = await issueSession(tx, deps, proven)
  if (!delivered) throw problem('invalid_credentials')
  return { kind: 'session', delivered }
}

/**
 * The cost of hashing has increased since this hash was made. The password is known only now, so it
 * is hashed again. The session exists already, so the log-in succeeds even if this fails; the next one
 * tries it again.
 */
async function strengthen(deps: Deps, candidate: Candidate, password: string): Promise<void> {
  const { hasher, kernel } = deps
  const { id, password_hash } = candidate
  try {
    const encoded = await hasher.hash(password)
    await kernel.db.run(sql`
      update identity.credentials
      set password_hash = ${hasher.seal(encoded, { table: 'identity.credentials', id })}
      where account_id = ${id} and password_hash = ${password_hash}`)
  } catch (error) {
    logFailure(kernel.log, { err: error, account_id: id }, 'a password could not be hashed again')
  }
}
