/**
 * Logs out. A token of an ended session can end that session again, so that a repeated request gets
 * the same reply, but can do nothing else. Other callers need the permission and can end a session
 * only in their own tenant.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Principal } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { endCodes } from '../oauth/end-codes.ts'
import { requireRank } from '../roles/require-rank.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { revokeSessions } from './revoke-sessions.ts'

const Found = Type.Object({ account_id: Id, tenant_id: Id, client_id: nullable(Type.String()) })

export async function endSession(
  deps: Deps,
  session_id: string,
  principal: Principal | null,
  seen: Seen,
): Promise<void> {
  if (!principal) {
    const token = tokenIn(seen)
    if (token && (await sessionOf(deps, token)) === session_id) return
    throw token
      ? problem('invalid_token', {
          headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
        })
      : problem('authentication_required', { headers: { 'www-authenticate': 'Bearer' } })
  }
  // A session with a scope ends itself and no other.
  if (principal.scope && principal.session_id !== session_id) throw problem('session_not_found')
  await deps.kernel.db.tx(async tx => {
    const session = await tx.maybe(
      Found,
      sql`select account_id, tenant_id, client_id from identity.sessions where id = ${session_id}`,
    )
    if (!session) throw problem('session_not_found')
    const { account_id, tenant_id, client_id } = session
    const mine = account_id === principal.id
    if (!mine) {
      const grants = await deps.access.grants(tx, principal)
      const may = tenant_id === principal.tenant_id && grants.has('identity.sessions.revoke_any')
      if (!may) throw problem('session_not_found')
      await requireRank(tx, { account_id, principal, grants })
      tx.audit('identity.sessions.revoke_any', session_id, { by: { tenant_id, id: principal.id } })
    }
    if (client_id !== null && !principal.scope) await endCodes(tx, { account_id, client_id })
    await revokeSessions(tx, deps, { account_id, session_id }, mine ? 'logout' : 'admin', {
      actor: principal.id,
      seen,
    })
  })
}

function tokenIn({ headers }: Seen): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(String(headers['authorization'] ?? ''))?.[1]
  const cookie = /(?:^|;\s*)(?:__Secure-)?at=([^;]+)/.exec(String(headers['cookie'] ?? ''))?.[1]
  return bearer ?? cookie
}

/** Reads a genuine, unexpired token, even if its session has ended. */
async function sessionOf({ tokens }: Deps, token: string): Promise<string | null> {
  try {
    return (await tokens.verify(token)).session_id
  } catch {
    // An unknown or expired token proves nothing; the caller gets that error.
    return null
  }
}
