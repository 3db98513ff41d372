/**
 * A session can be narrower than its account. Its scope is a set of words: permissions by name (a
 * typed one with its type, `:report` or `:*`), `<surface>.read` and `<surface>.write` for what every
 * member may do there (by GET and HEAD, or by any method), words of OpenID, `enrolment`, and
 * `anonymous` for the session of an account without an address. A route needs the
 * scope and the grants that the caller has now. A full session has no scope, and pays one
 * comparison for all of this.
 */
import { problem, type Problem } from '../errors/problem.ts'
import type { PermissionCatalog } from './permissions.ts'
import type { Principal } from './principal.ts'

export type Scope = ReadonlySet<string>

/**
 * What a narrow session needs for a route, if it is not the permission of the route. `any`: every
 * narrow session may call it. Else the word that its scope must have.
 */
export type Narrow = 'any' | (string & {})

/** What decides about a narrow session, from the route. */
export type Reached = {
  readonly method: string
  /** Null if the route requires none. */
  readonly permission: string | null
  /** Null: the routes of identity and of the platform are open only where `narrow` says so. */
  readonly surface: string | null
  readonly narrow?: Narrow | undefined
}

const words = ['openid', 'profile', 'email', 'offline_access', 'enrolment', 'anonymous'] as const

/** Every word that a scope can have. A typed permission is listed for all its types. */
export function scopeWords(permissions: PermissionCatalog, surfaces: readonly string[]): string[] {
  return [
    ...[...permissions].map(([name, { typed }]) => (typed ? `${name}:*` : name)),
    ...surfaces.flatMap(name => [`${name}.read`, `${name}.write`]),
    ...words,
  ]
}

export function isNarrow({ scope, away }: Principal): boolean {
  return scope !== undefined || away !== undefined
}

/**
 * The id that later work of this caller keeps, so that it has no more rights than the session and
 * ends with it. Null for a full session: its work belongs to the account.
 */
export function narrowSession(principal: Pick<Principal, 'scope' | 'session_id'>): string | null {
  return principal.scope === undefined ? null : principal.session_id
}

/**
 * The word that the route needs and the session lacks: empty if no word would help, null if the
 * session may call the route.
 */
export function missingScope(
  permissions: PermissionCatalog,
  reached: Reached,
  { scope, away }: Pick<Principal, 'scope' | 'away'>,
): string | null {
  const { method, permission, surface, narrow } = reached
  // Factors and addresses are the person's, and not the tenant's to which the session is bound.
  const own = narrow === 'enrolment' || narrow === 'anonymous'
  const closed = surface === null && (!narrow || (away && own))
  if (closed) return ''
  if (scope === undefined || narrow === 'any') return null
  const needed = narrow ?? permission
  if (needed !== null) return covers(permissions, scope, needed, method) ? null : needed
  const reads = isRead(method) && scope.has(`${surface}.read`)
  if (reads || scope.has(`${surface}.write`)) return null
  return `${surface}.${isRead(method) ? 'read' : 'write'}`
}

/** Of these grants, those that the scope has. Without a method, `<surface>.read` gives none. */
export function withinScope(
  permissions: PermissionCatalog,
  scope: Scope,
  held: ReadonlySet<string>,
  method?: string,
): ReadonlySet<string> {
  const mine = [...held].filter(grant => isForMembers(permissions, scope, baseOf(grant), method))
  return new Set([...mine, ...[...scope].flatMap(word => heldOf(held, word))])
}

/**
 * What of a grant is held. Where it is given for all types and held for some, it is held for those.
 */
export function heldOf(held: ReadonlySet<string>, given: string): string[] {
  const base = baseOf(given)
  if (held.has(given) || (given.includes(':') && held.has(`${base}:*`))) return [given]
  if (!given.endsWith(':*')) return []
  return [...held].filter(one => one.startsWith(`${base}:`))
}

/**
 * Whether the scope has this permission: for its type, or for any type if it has none.
 */
export function covers(
  permissions: PermissionCatalog,
  scope: Scope,
  permission: string,
  method: string,
): boolean {
  const base = baseOf(permission)
  const named = scope.has(permission) || scope.has(`${base}:*`)
  if (named || isForMembers(permissions, scope, base, method)) return true
  if (base !== permission) return false
  for (const word of scope) if (word.startsWith(`${base}:`)) return true
  return false
}

/** Throws unless the session is full or its scope has one of these words; the first one is named. */
export function requireScope({ scope }: Pick<Principal, 'scope'>, ...any_of: string[]): void {
  if (scope && !any_of.some(word => scope.has(word)))
    throw insufficientScope(any_of[0] ?? '', scope)
}

/** RFC 6750, 3.1. */
export function insufficientScope(word: string, scope?: Scope): Problem {
  const challenge = `Bearer error="insufficient_scope"${word ? `, scope="${word}"` : ''}`
  return problem('insufficient_scope', {
    detail: cureFor(word, scope),
    headers: { 'www-authenticate': challenge },
    ...(word ? { more: { scope: word } } : {}),
  })
}

function cureFor(word: string, scope: Scope | undefined): string {
  if (scope?.has('enrolment')) {
    return 'The organization requires a second factor, and this session can only add one. Add it with `POST /v1/mfa/methods`; that begins a full session.'
  }
  if (scope?.has('anonymous')) {
    return 'The session of a guest may not do this. To become a person, prove an address with `POST /v1/email-changes`.'
  }
  if (word) {
    return `This requires \`${word}\` in the scope of the session. Ask the person to allow it, and begin a new session with it.`
  }
  return 'No session with a scope, or bound to a tenant that is not the home of the account, may do this. The person can do it in a session of their own.'
}

/** What every member may do, and the scope allows for the whole surface. */
function isForMembers(
  permissions: PermissionCatalog,
  scope: Scope,
  name: string,
  method: string | undefined,
): boolean {
  if (!permissions.get(name)?.roles.includes('member')) return false
  const surface = name.slice(0, name.indexOf('.'))
  return scope.has(`${surface}.write`) || (isRead(method) && scope.has(`${surface}.read`))
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

function baseOf(grant: string): string {
  return grant.split(':', 1)[0] ?? ''
}
