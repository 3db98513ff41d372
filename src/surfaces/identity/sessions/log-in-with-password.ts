/**
 * Logs in with a password. An unknown account, a wrong password or tenant, an unverified address and
 * a disabled account cost the same work, count the same and get the same reply. An attempt is counted
 * before the hash is computed, and the count is undone on success. No connection is held while
 * hashing, so a reset may commit meanwhile. The transaction therefore checks again that the verified
 * password is still valid.
 */
import { Type, type Static } from 'typebox'
import { logFailure, nil_id, nullable, sql, type Taken } from '#dodeca/kernel'
import { parseEmail } from '../accounts/email.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import {
  guesses,
  passwordBucket,
  passwordIsUnchanged,
  type Address,
} from '../passwords/prove-password.ts'
import { AccountRow, Bytes } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { emailScope, findTenant } from '../tenants/resolve-tenant.ts'
import { isMember, loginNetwork, recordAttempt, takeAttempt } from './attempt.ts'
import { begin, type LoggedIn, type Wanted } from './begin-session.ts'
import { knownDevice } from './device-token.ts'

const Candidate = Type.Object({
  ...AccountRow.properties,
  password_hash: nullable(Bytes),
  password_changed_at: nullable(Type.String()),
  is_member: Type.Boolean(),
})
type Candidate = Static<typeof Candidate>

export type ByPassword = Wanted & {
  readonly email: string
  readonly password: string
  readonly device_token?: string | undefined
}

export async function logInWithPassword(
  deps: Deps,
  body: ByPassword,
  seen: Seen,
): Promise<LoggedIn> {
  const { kernel, hasher } = deps
  const { email, password, tenant: slug } = body
  const tenant = await findTenant(kernel.db, kernel, slug, seen.headers['host'])
  const address = {
    scope: emailScope(kernel, tenant?.id ?? nil_id),
    normalized: parseEmail(email)?.normalized ?? email,
  }
  const candidate = tenant && (await candidateOf(deps, address, tenant.id))
  const attempt = await takeGuess(deps, { address, body, candidate, seen })
  try {
    const encoded = candidate?.password_hash
      ? hasher.open(candidate.password_hash, { table: 'identity.credentials', id: candidate.id })
      : null
    const fits = await hasher.verify(password, encoded)
    if (!fits || !candidate || !mayLogIn(deps, candidate, slug)) {
      attempt.keep()
      await recordAttempt(deps, 'login.failed', candidate, 'pwd', seen)
      throw problem('invalid_credentials')
    }
    const result = await kernel.db.tx(async tx => {
      attempt.giveBackWith(tx)
      const stands = passwordIsUnchanged(tx, candidate, 'share')
      return begin(tx, deps, { account: accountOf(candidate), amr: ['pwd'], stands }, body, seen)
    })
    if (encoded && hasher.isWeak(encoded)) await strengthen(deps, candidate, password)
    return result
  } catch (error) {
    // Any other failure was not a guess. Ending the attempt a second time does nothing.
    await attempt.giveBack()
    throw error
  }
}

function accountOf(candidate: Candidate): AccountRow {
  const { id, tenant_id, kind, email, email_normalized, status } = candidate
  const { verified_at, display_name, locale, version, created_at } = candidate
  const name = { display_name, locale, version, created_at }
  return { id, tenant_id, kind, email, email_normalized, status, verified_at, ...name }
}

function candidateOf(
  { kernel }: Deps,
  { scope, normalized }: Address,
  tenant_id: string,
): Promise<Candidate | undefined> {
  return kernel.db.maybe(
    Candidate,
    sql`
      select a.id, a.tenant_id, a.kind, a.email, a.email_normalized, a.status, a.verified_at,
        a.display_name, a.locale, a.version, a.created_at, c.password_hash,
        c.password_changed_at::text as password_changed_at, ${isMember(tenant_id)} as is_member
      from identity.accounts a
      left join identity.credentials c on c.account_id = a.id
      where a.email_scope = ${scope} and a.email_normalized = ${normalized}
        and a.status <> 'deleted'`,
  )
}

type Guess = {
  readonly address: Address
  readonly body: ByPassword
  readonly candidate: Candidate | undefined
  readonly seen: Seen
}

/** The bucket does not depend on whether the address has an account, so neither do the replies. */
async function takeGuess(deps: Deps, { address, body, candidate, seen }: Guess): Promise<Taken> {
  const { kernel } = deps
  const { settings } = kernel
  const device = knownDevice(kernel, candidate?.id ?? null, body.device_token)
  const burst = settings['identity.login_device_burst']
  const interval_seconds = settings['identity.login_account_interval_seconds']
  try {
    const own = device
      ? guesses('identity.login_device', device, burst, interval_seconds)
      : passwordBucket(kernel, address)
    return await takeAttempt(deps, [loginNetwork(kernel, seen), own], body, seen)
  } catch (error) {
    await recordAttempt(deps, 'login.throttled', candidate, 'pwd', seen)
    throw error
  }
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
