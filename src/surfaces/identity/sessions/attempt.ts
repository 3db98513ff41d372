/**
 * Attempts to log in, for all ways. Each counts against its network before anything is checked,
 * whether or not an account exists. Only an attempt that was refused stays counted, and is recorded.
 * A person who names a tenant must be a member or a guest of it.
 */
import { nil_id, Problem, sql } from '#dodeca/kernel'
import type { Bucket, Reader, Sql, Taken } from '#dodeca/kernel'
import { takeFree } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { default_tenant_id, type AccountRow } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import type { Kernel } from '../settings.ts'
import { findTenant } from '../tenants/resolve-tenant.ts'
import type { LoggedIn, Wanted } from './begin-session.ts'

type Candidate = Pick<AccountRow, 'id' | 'tenant_id'> | undefined

export function loginNetwork({ settings }: Pick<Kernel, 'settings'>, { ip }: Seen): Bucket {
  const many = settings['identity.login_network_burst']
  const per_seconds = many * settings['identity.login_network_interval_seconds']
  return { name: 'identity.login_network', ip, many, per_seconds }
}

/** Half of the attempts of a network need no captcha. */
function freeOfCaptcha({ settings }: Pick<Kernel, 'settings'>, { ip }: Seen): Bucket {
  const many = Math.max(1, Math.floor(settings['identity.login_network_burst'] / 2))
  const per_seconds = many * settings['identity.login_network_interval_seconds']
  return { name: 'identity.login_free', ip, many, per_seconds }
}

export function takeAttempt(
  deps: Pick<Deps, 'kernel'>,
  buckets: readonly Bucket[],
  { captcha: answer }: Pick<Wanted, 'captcha'>,
  seen: Seen,
): Promise<Taken> {
  const free = freeOfCaptcha(deps.kernel, seen)
  return takeFree(deps, buckets, { purpose: 'login', answer, free })
}

export async function recordAttempt(
  { kernel }: Pick<Deps, 'kernel'>,
  action: 'login.failed' | 'login.throttled',
  candidate: Candidate,
  method: string,
  seen: Seen,
): Promise<void> {
  await recordSecurityEvent(kernel.db, {
    tenant_id: candidate?.tenant_id ?? default_tenant_id,
    account_id: candidate?.id ?? null,
    action,
    actor: 'anonymous',
    seen,
    method,
  })
}

type Attempt = {
  readonly candidate: Candidate
  readonly method: string
  /** Of a way in that can be guessed. */
  readonly guess?: Pick<Wanted, 'captcha'>
  readonly seen: Seen
}

/** `run` throws `invalid_credentials` where the proof does not count. */
export async function attempting(
  deps: Deps,
  { candidate, method, guess, seen }: Attempt,
  run: () => Promise<LoggedIn>,
): Promise<LoggedIn> {
  const { kernel } = deps
  const buckets = [loginNetwork(kernel, seen)]
  const taken = await (
    guess ? takeAttempt(deps, buckets, guess, seen) : kernel.take(kernel.db, buckets)
  ).catch(async (error: unknown) => {
    await recordAttempt(deps, 'login.throttled', candidate, method, seen)
    throw error
  })
  try {
    const result = await run()
    await taken.giveBack()
    return result
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_credentials') {
      taken.keep()
      await recordAttempt(deps, 'login.failed', candidate, method, seen)
    } else await taken.giveBack()
    throw error
  }
}

/** The condition that the account `a` is a member or a guest of the tenant. */
export function isMember(tenant_id: string): Sql {
  return sql`(a.tenant_id = ${tenant_id} or exists (select from identity.role_assignments r
    where r.account_id = a.id and r.tenant_id = ${tenant_id}))`
}

/**
 * The condition that the account `a` belongs to the tenant that the log-in names; no condition if it
 * names none.
 */
export async function isMemberOfNamed(
  reader: Reader,
  { kernel }: Pick<Deps, 'kernel'>,
  slug: string | undefined,
  { headers }: Seen,
): Promise<Sql> {
  const by_host = kernel.settings['identity.tenant_from'] === 'host'
  if (slug === undefined && !by_host) return sql`true`
  const tenant = await findTenant(reader, kernel, slug, headers['host'])
  return isMember(tenant?.id ?? nil_id)
}
