/**
 * Finds the session of a visitor by the cookies of these pages. The cookies contain the same tokens
 * as the cookies of the API, under other names. With its own cookies, the API requires a CSRF
 * header. A form cannot send a header, so the pages check a field of the form instead. An expired
 * access token is renewed with the refresh token.
 */
import { isNarrow, Problem, type Principal } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { isRefusal } from '../login-policy/policy.ts'
import type { Session } from '../mfa/holder.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { deliver, setCookies } from '../sessions/deliver-tokens.ts'
import { isEnrolment } from '../sessions/narrowed.ts'
import { refresh } from '../sessions/refresh-session.ts'
import { parseToken } from '../sessions/refresh-token.ts'
import { readCookie } from './cookies.ts'

export type Visitor = {
  readonly session: Session | null
  readonly cookies: readonly string[]
  /** The visitor has a session, but for an application or an organization only. */
  readonly narrow?: true
}

/** The narrow sessions that some pages take. */
type Also = 'enrolment' | 'anonymous'

const anonymous: Visitor = { session: null, cookies: [] }

/** `also`: a narrow session with this word, which can do only that. */
export async function visitorOf(deps: Deps, seen: Seen, also?: Also): Promise<Visitor> {
  const access_token = readCookie(deps.kernel, seen.headers, 'account-at')
  const session = access_token === null ? null : await sessionOf(deps, access_token, also)
  if (session === 'narrow') return { ...anonymous, narrow: true }
  return session ? { session, cookies: [] } : await renewed(deps, seen, also)
}

async function sessionOf(
  { access }: Deps,
  token: string,
  also: Also | undefined,
): Promise<Session | 'narrow' | null> {
  let principal: Principal
  try {
    principal = await access.authenticate({ kind: 'cookie', token })
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
  // These pages are the person's own, and not an application's or another tenant's.
  if (isNarrow(principal) && !isTaken(principal, also)) return 'narrow'
  const { kind, session_id } = principal
  return kind === 'account' && session_id !== null ? { ...principal, kind, session_id } : null
}

function isTaken(principal: Principal, also: Also | undefined): boolean {
  if (also === 'enrolment') return isEnrolment(principal)
  return also !== undefined && !principal.client_id && principal.scope?.has(also) === true
}

async function renewed(deps: Deps, seen: Seen, also: Also | undefined): Promise<Visitor> {
  const refresh_token = readCookie(deps.kernel, seen.headers, 'account-rt')
  if (refresh_token === null) return anonymous
  const session_id = parseToken(refresh_token)?.session_id
  if (session_id === undefined) return anonymous
  try {
    const tokens = await refresh(deps, { session_id, refresh_token, tenant_id: undefined }, seen)
    const session = await sessionOf(deps, tokens.access_token ?? '', also)
    const cookies = setCookies(deliver(deps.kernel, tokens, 'cookie').headers)
    return session === 'narrow' ? { session: null, cookies, narrow: true } : { session, cookies }
  } catch (error) {
    // A session that the policy of its tenant refuses now is over for these pages, too.
    const over = error instanceof Problem && (error.status === 401 || isRefusal(error.code))
    if (over) return anonymous
    throw error
  }
}
