/**
 * The checks before the body is read, in the order of the contract: draining or overloaded (503),
 * representation (406), identity (401), cross-site forgery (403), rate (429).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientAddress } from '../access/client-address.ts'
import type { Csrf } from '../access/csrf.ts'
import type { Access, Principal } from '../access/principal.ts'
import type { TenantStates } from '../work/tenant-states.ts'
import type { RateLimiter } from '../access/rate.ts'
import { negotiate, type CompiledRoute } from './compile-route.ts'
import type { DeprecatedCalls } from './deprecated-calls.ts'
import { Facts } from './request-context.ts'
import { problem, type Problem } from '../errors/problem.ts'

export type GuardDeps = {
  readonly access: Access
  readonly csrf: Csrf
  readonly rates: RateLimiter
  readonly addressOf: ClientAddress
  readonly stopping: AbortSignal
  /** The reason why new work is refused now, or undefined. */
  busy(): Problem | null
  readonly tenants: Pick<TenantStates, 'check'>
  readonly deprecatedCalls: Pick<DeprecatedCalls, 'count'>
}

export type Passed = { readonly facts: Facts; readonly principal: Principal | null }

export function guard(
  deps: GuardDeps,
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Passed | Promise<Passed> {
  const { route } = compiled
  const ip = deps.addressOf(request.ip, request.headers['x-forwarded-for'])
  const facts = new Facts(request, reply, ip, deps.stopping)
  const refusal = route.always ? null : deps.busy()
  if (refusal) throw refusal
  checkAccept(request.headers.accept, compiled)
  const who = identify(deps, compiled, request)
  const pass = (principal: Principal | null): Passed => {
    if (!route.always) {
      if (principal) deps.tenants.check(principal, route.method)
      const rate = rated(deps, compiled, request, reply, principal, ip)
      if (rate) void reply.header('ratelimit-policy', rate.policy).header('ratelimit', rate.state)
    }
    return { facts, principal }
  }
  return who instanceof Promise ? who.then(pass) : pass(who)
}

/** On these routes only refused requests count. A caller with too many of them is refused. */
function rated(
  { rates }: GuardDeps,
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  who: Principal | null,
  ip: string,
) {
  const about = ratedBy(compiled, request)
  const shared = compiled.route.rate_tenant !== false
  if (!compiled.route.counts_refused) return rates.take(compiled.rate, who, ip, about, shared)
  const rate = rates.check(compiled.rate, who, ip, about, shared)
  reply.raw.once('close', () => {
    const { statusCode } = reply.raw
    if (statusCode >= 400 && statusCode < 500) rates.count(compiled.rate, who, ip, about, shared)
  })
  return rate
}

function ratedBy({ route }: CompiledRoute, { params }: FastifyRequest): string {
  const given = params as Readonly<Record<string, string>>
  return route.rate_by?.map(name => ` ${given[name]}`).join('') ?? ''
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
  request: FastifyRequest,
): Principal | null | Promise<Principal | null> {
  const bearer = bearerOf(request.headers.authorization, route.permission === 'public')
  const cookie = bearer ? null : cookieOf(request.headers.cookie)
  const token = bearer ?? cookie
  if (!token) {
    if (route.permission === 'public') return null
    throw problem('authentication_required', challenge())
  }
  const checked = (principal: Principal): Principal => {
    if (cookie && request.method !== 'GET' && request.method !== 'HEAD') {
      deps.csrf.demand(request.headers, principal.session_id ?? principal.id)
    }
    return principal
  }
  if (route.permission === 'public')
    return passing(
      () => deps.access.authenticate({ kind: bearer ? 'bearer' : 'cookie', token }),
      checked,
    )
  const found = deps.access.authenticate({ kind: bearer ? 'bearer' : 'cookie', token })
  return found instanceof Promise ? found.then(checked) : checked(found)
}

/** A public route works with any credential. An invalid credential makes the caller anonymous. */
async function passing(
  authenticate: () => Promise<Principal> | Principal,
  checked: (principal: Principal) => Principal,
): Promise<Principal | null> {
  let principal: Principal
  try {
    principal = await authenticate()
  } catch {
    return null
  }
  return checked(principal)
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
