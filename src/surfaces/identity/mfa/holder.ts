/**
 * Finds who may open, read and complete a challenge: the holder of the login token of a waiting
 * login, or the session that steps up. A login token permits nothing else.
 */
import type { Principal, RequestFacts } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import { requirePerson } from '../require-person.ts'

export type Session = Principal & { readonly kind: 'account'; readonly session_id: string }

export type Holder =
  | { readonly kind: 'login'; readonly token: string; readonly hash: Buffer }
  | { readonly kind: 'session'; readonly principal: Session }

export function holderOf(
  principal: Principal | null,
  { headers }: Pick<RequestFacts, 'headers'>,
): Holder {
  if (principal) return { kind: 'session', principal: requireSession(principal) }
  const given = /^Bearer +(\S+)$/i.exec(String(headers['authorization'] ?? ''))?.[1]
  if (given === undefined) {
    throw problem('authentication_required', { headers: { 'www-authenticate': 'Bearer' } })
  }
  if (given.startsWith('ot_')) return { kind: 'login', token: given, hash: hashOf(given) }
  throw problem('invalid_token', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

/** A service is not a person, so it has no factors. */
export function requireSession(principal: Principal): Session {
  const { kind, session_id } = principal
  requirePerson(principal)
  if (kind !== 'account' || session_id === null) throw problem('permission_denied')
  return { ...principal, kind, session_id }
}
