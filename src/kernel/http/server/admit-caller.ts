/**
 * The checks before the body is read, in the order of the contract: draining or overloaded (503),
 * representation (406), identity (401), cross-site forgery (403), rate (429), scope
 * (403).
 */
import type { ClientAddress } from '../../access/client-address.ts'
import type { Csrf } from '../../access/csrf.ts'
import type { Access, Principal } from '../../access/principal.ts'
import type { PermissionCatalog } from '../../access/permissions.ts'
import { insufficientScope, isNarrow, missingScope } from '../../access/scopes.ts'
import type { TenantStates } from '../../work/tenant-states.ts'
import type { RateClass, RateLimiter } from '../../access/rate.ts'
import { after } from '../contract/after.ts'
import { negotiate, type CompiledRoute } from './compile-route.ts'
import type { DeprecatedCalls } from './deprecated-calls.ts'
import type { Exchange, Exchanged } from './exchange.ts'
import { prefersCsv } from '../lists/csv.ts'
import type { RequestClass } from '../../observability/overload.ts'
import { Problem, problem } from '../../errors/problem.ts'
import type { Route, Taken } from '../contract/route.ts'

export type GuardDeps = {
  readonly access: Access
  readonly permissions: PermissionCatalog
  readonly csrf: Csrf
  readonly rates: RateLimiter
  readonly addressOf: ClientAddress
  readonly stopping: AbortSignal
  /** The reason why a request that began at this time is refused, or null. */
  refusal(of: RequestClass, began_ms: number): Problem | null
  readonly tenants: Pick<TenantStates, 'check' | 'isGone'>
  readonly deprecatedCalls: Pick<DeprecatedCalls, 'count'>
}

/** Finds the caller, or throws the refusal. */
export function guard(
  deps: GuardDeps,
  compiled: CompiledRoute,
  exchange: Exchange,
): void | Promise<void> {
  const { route } = compiled
  const { headers, request } = exchange
  exchange.ip = deps.addressOf(request.socket.remoteAddress ?? '', headers['x-forwarded-for'])
  const refusal = route.always ? null : deps.refusal(classOf(compiled, exchange), exchange.began_ms)
  if (refusal) throw refusal
  checkAccept(headers.accept, compiled)
  return after(identify(deps, compiled, exchange), principal => {
    exchange.principal = principal
    exchange.principal = admitted(deps, compiled, exchange)
  })
}

/** The caller whom the state of the tenant, the rate and the scope allow this operation. */
export function admitted(
  deps: Pick<GuardDeps, 'permissions' | 'rates' | 'tenants'>,
  compiled: CompiledRoute,
  exchange: Exchanged,
): Principal | null {
  const { route } = compiled
  const { principal } = exchange
  if (!route.always) {
    if (principal) deps.tenants.check(principal, route.method)
    rate(deps, compiled, exchange)
  }
  return principal && isNarrow(principal)
    ? withinItsScope(deps, compiled, exchange, principal)
    : principal
}

/** Refuses what is outside the scope. Where a route needs no caller, it gets none. */
export function withinItsScope(
  { permissions }: Pick<GuardDeps, 'permissions'>,
  { route, permission, surface }: CompiledRoute,
  { method }: Pick<Exchanged, 'method'>,
  principal: Principal,
): Principal | null {
  const reached = { method, permission, surface, narrow: route.narrow }
  const word = missingScope(permissions, reached, principal)
  if (word === null) return principal
  if (route.permission !== 'public' || own.includes(route.takes))
    throw insufficientScope(word, principal.scope)
  return null
}

/** These public routes check the caller themselves. */
const own: readonly (Taken | undefined)[] = ['access_token', 'login_token']

function rateOf({ route, rate }: CompiledRoute, { headers }: Exchanged): RateClass {
  return route.lists && prefersCsv(headers.accept) ? 'expensive' : rate
}

function classOf(compiled: CompiledRoute, exchange: Exchange): RequestClass {
  const rate = rateOf(compiled, exchange)
  if (rate === 'expensive') return rate
  const { headers } = exchange
  const anonymous = headers.authorization === undefined && headers.cookie === undefined
  return rate === 'read' && anonymous ? 'anonymous_read' : 'usual'
}

function rate(deps: Pick<GuardDeps, 'rates'>, compiled: CompiledRoute, exchange: Exchanged): void {
  const rated = countedRate(deps, compiled, exchange)
  if (!rated) return
  exchange.reply_headers['ratelimit-policy'] = rated.policy
  exchange.reply_headers['ratelimit'] = rated.state
}

/** On these routes only refused requests count. A caller with too many of them is refused. */
function countedRate(
  { rates }: Pick<GuardDeps, 'rates'>,
  compiled: CompiledRoute,
  exchange: Exchanged,
) {
  const { principal: who, ip, response } = exchange
  const about = ratedBy(compiled, exchange)
  const shared = compiled.route.rate_tenant !== false
  const kind = rateOf(compiled, exchange)
  if (!compiled.route.counts_refused || !response) return rates.take(kind, who, ip, about, shared)
  const rated = rates.check(kind, who, ip, about, shared)
  response.once('close', () => {
    const { statusCode } = response
    if (statusCode >= 400 && statusCode < 500) rates.count(kind, who, ip, about, shared)
  })
  return rated
}

function ratedBy({ route }: CompiledRoute, { params }: Exchanged): string {
  return route.rate_by?.map(name => ` ${params[name]}`).join('') ?? ''
}

function checkAccept(accept: string | undefined, { media_types }: CompiledRoute): void {
  // A route without a fixed media type accepts every Accept header.
  if (!accept || accept === '*/*' || media_types.includes('*/*')) return
  if (!accept.includes(';') && accept.includes(media_types[0] ?? '')) return
  negotiate(accept, media_types)
}

function identify(
  deps: GuardDeps,
  { route }: CompiledRoute,
  exchange: Exchange,
): Principal | null | Promise<Principal | null> {
  const { headers, method } = exchange
  const bearer = bearerOf(credentialOf(route, headers), route.permission === 'public')
  if (bearer && route.opensWith?.(bearer)) {
    exchange.opened = true
    return null
  }
  const { resource } = route
  const cookie = bearer || resource ? null : cookieOf(headers.cookie)
  const token = bearer ?? cookie
  if (!token) {
    if (route.permission === 'public') return null
    throw problem('authentication_required', challenge())
  }
  const checked = (principal: Principal): Principal => {
    if (cookie && method !== 'GET' && method !== 'HEAD') {
      deps.csrf.demand(headers, principal.session_id ?? principal.id)
    }
    return principal
  }
  if (route.permission === 'public')
    return passing(
      () => deps.access.authenticate({ kind: bearer ? 'bearer' : 'cookie', token }),
      checked,
      knowing.includes(route.takes),
    )
  const found = deps.access.authenticate({ kind: bearer ? 'bearer' : 'cookie', token, resource })
  return found instanceof Promise ? found.then(checked) : checked(found)
}

/** The Authorization header, or the header in which clients of another API send their key. */
function credentialOf({ key_header }: Route, headers: Exchange['headers']): string | undefined {
  const { authorization } = headers
  const key = key_header === undefined ? undefined : headers[key_header]
  if (key === undefined) return authorization
  if (authorization === undefined) return `Bearer ${String(key)}`
  const detail = `Send the key in Authorization or in ${key_header}, and not in both.`
  throw problem('invalid_header', { detail })
}

/** On these public routes the reply depends on the caller. */
const knowing: readonly (Taken | undefined)[] = ['access_token', 'login_token', 'optional']

/**
 * A public route works with any credential. An invalid credential makes the caller anonymous. If
 * the reply depends on the caller, a credential that cannot be checked now is refused: a log-out
 * must not seem to have succeeded because the database did not reply.
 */
function passing(
  authenticate: () => Promise<Principal> | Principal,
  checked: (principal: Principal) => Principal,
  must_know: boolean,
): Principal | null | Promise<Principal | null> {
  const anonymous = (error: unknown): null => {
    if (must_know && !(error instanceof Problem && error.status === 401)) throw error
    return null
  }
  let found: Promise<Principal> | Principal
  try {
    found = authenticate()
  } catch (error) {
    return anonymous(error)
  }
  return found instanceof Promise ? found.then(checked, anonymous) : checked(found)
}

/** A public route may accept other kinds of credentials, such as those of a provider. */
function bearerOf(header: string | undefined, any_kind: boolean): string | null {
  if (!header) return null
  // The scheme is compared without regard to case. `access` checks whether the token is valid.
  if (header.startsWith('Bearer ') && header.lastIndexOf(' ') === 6 && header.length > 7) {
    return header.slice(7)
  }
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(header)
  if (!match && any_kind) return null
  if (!match?.[1])
    throw problem('invalid_token', { detail: malformed(header), ...challenge('invalid_token') })
  return match[1]
}

function malformed(header: string): string {
  const form = '`Authorization: Bearer <token>`, with an access token or an API key'
  if (/^bearer\s*$/i.test(header)) return `The header has no token. Send ${form}.`
  const scheme = /^([A-Za-z][A-Za-z0-9]{1,19}) /.exec(header)?.[1]
  if (scheme && scheme.toLowerCase() !== 'bearer') {
    return `The scheme ${scheme} is not supported. Send ${form}.`
  }
  return `The header does not have the form of a bearer token. Send ${form}.`
}

/** The cookie is `__Secure-at`, or `at` if the platform runs over http on a developer's machine. */
function cookieOf(header: string | undefined): string | null {
  if (!header) return null
  for (const pair of header.split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if ((name === '__Secure-at' || name === 'at') && value) return value
  }
  return null
}

function challenge(error?: string): { headers: Record<string, string> } {
  return { headers: { 'www-authenticate': error ? `Bearer error="${error}"` : 'Bearer' } }
}
