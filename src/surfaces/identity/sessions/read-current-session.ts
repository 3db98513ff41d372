/**
 * Returns the session to a page that was reloaded. Its cookies still exist, but scripts cannot read
 * them, and the CSRF token was lost with the page. The refresh cookie is enough, because the access
 * token may have expired, and a refresh needs the CSRF token. Only the platform's own pages get a
 * reply.
 */
import { Type, type Static } from 'typebox'
import { Id, sql, Time, type Principal, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import { Aal } from '../schemas.ts'
import { hasCookies, refreshCookie } from './deliver-tokens.ts'
import { parseToken } from './refresh-token.ts'

const Row = Type.Object({
  session_id: Id,
  account_id: Id,
  tenant_id: Id,
  aal: Aal,
  session_expires_at: Time,
})
export const CurrentSession = Type.Object(
  { ...Row.properties, csrf_token: Type.Optional(Type.String({ maxLength: 100 })) },
  { title: 'CurrentSession' },
)
type CurrentSession = Static<typeof CurrentSession>

type Headers = Readonly<Record<string, string | string[] | undefined>>

export async function readCurrentSession(
  reader: Reader,
  { kernel: { csrf } }: Pick<Deps, 'kernel'>,
  principal: Principal | null,
  headers: Headers,
): Promise<CurrentSession> {
  const cookies = headers['authorization'] === undefined && hasCookies(headers['cookie'])
  if (cookies) csrf.demandOwnPage(headers)
  const which = ofPrincipal(principal) ?? ofRefreshToken(headers['cookie'])
  const found = which && (await reader.maybe(Row, living(which)))
  if (!found) {
    // An invalid credential is an error; a missing one is not.
    const forged = !principal && headers['authorization'] !== undefined
    throw problem(forged ? 'invalid_token' : 'authentication_required', {
      headers: { 'www-authenticate': forged ? 'Bearer error="invalid_token"' : 'Bearer' },
    })
  }
  return cookies ? { ...found, csrf_token: csrf.tokenOf(found.session_id) } : found
}

function ofPrincipal(principal: Principal | null): Sql | null {
  return principal?.session_id ? sql`s.id = ${principal.session_id}` : null
}

function ofRefreshToken(cookie: Headers[string]): Sql | null {
  const token = parseToken(refreshCookie(cookie) ?? '')
  return (
    token &&
    sql`s.id = ${token.session_id} and s.refresh_hash = ${hashOf(token.text)}
      and s.refresh_expires_at > kernel.now()`
  )
}

function living(which: Sql) {
  return sql`
    select s.id as session_id, s.account_id, s.active_tenant_id as tenant_id, s.aal,
      s.expires_at as session_expires_at
    from identity.sessions s
    join identity.accounts a on a.id = s.account_id and a.status = 'active'
    where ${which} and s.revoked_at is null and s.expires_at > kernel.now()`
}
