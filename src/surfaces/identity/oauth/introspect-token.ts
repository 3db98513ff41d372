/**
 * Tells an application about its own tokens, and an API about the tokens that were made for it
 * (RFC 7662). Of any other token they learn only that it is not active.
 */
import { Problem } from '#dodeca/kernel'
import { authenticateApi, authenticateClient } from '../clients/find-client.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { issuerOf } from '../keys/access-tokens.ts'
import { findToken, type FoundToken } from './find-token.ts'
import type { credentialsIn } from './read-form.ts'
import type { Introspected } from './schemas.ts'

type Credentials = ReturnType<typeof credentialsIn>

export async function introspectToken(
  deps: Deps,
  asker: Credentials,
  token: string,
): Promise<Introspected> {
  const isMine = await askerOf(deps, asker)
  const found = await findToken(deps, token)
  if (!found || !isMine(found)) return { active: false }
  const { kind, account_id, session_id, tenant_id, client_id, scope, audience, expires_at } = found
  return {
    active: true,
    scope: scope.join(' '),
    client_id,
    sub: account_id,
    token_type: kind === 'access' ? 'Bearer' : 'refresh_token',
    exp: expires_at,
    iss: issuerOf(deps.kernel),
    aud: audience,
    tid: tenant_id,
    sid: session_id,
  }
}

/** A client without a secret is not known well enough to be told anything. */
async function askerOf(deps: Deps, asker: Credentials): Promise<(found: FoundToken) => boolean> {
  const { db } = deps.kernel
  const api = await authenticateApi(db, asker).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'invalid_client') return undefined
    throw error
  })
  if (api) return ({ kind, audience }) => kind === 'access' && audience === api.uri
  const { client_id, type } = await authenticateClient(db, deps, asker)
  if (type !== 'web') {
    const detail = 'Only clients of the types web and api may ask about tokens.'
    throw problem('unauthorized_client', { detail })
  }
  return found => found.client_id === client_id
}
