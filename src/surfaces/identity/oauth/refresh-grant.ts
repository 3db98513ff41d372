/**
 * Refreshes the grant of an application. A token of another client is refused like one that was never
 * issued.
 */
import { Type } from 'typebox'
import { nullable, Problem, sql } from '#dodeca/kernel'
import { findResource, type Client } from '../clients/find-client.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { refresh } from '../sessions/refresh-session.ts'
import { parseToken } from '../sessions/refresh-token.ts'
import { parameter, type OAuthForm } from './read-form.ts'
import type { Tokens } from './schemas.ts'

const Granted = Type.Object({
  scope: Type.Array(Type.String()),
  audience: nullable(Type.String()),
})

export async function refreshGrant(
  deps: Deps,
  client: Client,
  form: OAuthForm,
  seen: Seen,
): Promise<Tokens> {
  const { client_id } = client
  const shown = parameter(form, 'refresh_token')
  const session_id = parseToken(shown)?.session_id
  if (session_id === undefined) throw problem('invalid_grant')
  await requireSame(deps, client, session_id, form)
  try {
    const asked = { session_id, refresh_token: shown, tenant_id: undefined, client_id }
    const { access_token = '', expires_in, refresh_token = '' } = await refresh(deps, asked, seen)
    return { access_token, token_type: 'Bearer', expires_in, refresh_token }
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 429 || error.status >= 500) throw error
    throw problem('invalid_grant', {}, { cause: error })
  }
}

/** A client may repeat what was granted, and gets nothing else: neither more nor less. */
async function requireSame(
  deps: Deps,
  client: Client,
  session_id: string,
  { scope, resource }: OAuthForm,
): Promise<void> {
  if (scope === undefined && resource === undefined) return
  const { db } = deps.kernel
  const granted = await db.maybe(
    Granted,
    sql`
      select scope, audience from identity.sessions
      where id = ${session_id} and client_id = ${client.client_id}`,
  )
  if (!granted) throw problem('invalid_grant')
  const words = new Set(scope?.split(' ').filter(Boolean))
  const same = words.size === granted.scope.length && granted.scope.every(one => words.has(one))
  if (scope !== undefined && !same) {
    throw problem('invalid_scope', {
      detail: 'A refresh keeps the scope that was granted. Leave `scope` out.',
    })
  }
  if (resource === undefined) return
  const found = await findResource(db, deps, resource, client)
  if (!found || found.audience !== granted.audience) throw problem('invalid_target')
}
