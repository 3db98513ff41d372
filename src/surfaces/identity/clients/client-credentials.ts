/**
 * The grant type `client_credentials`: a program shows an API key and gets a token. For our API the
 * token is looked up like the key, so it ends with it. An API of a tenant checks tokens by itself,
 * so it gets a signed one, which may outlive the key by its few minutes.
 */
import { Problem } from '#dodeca/kernel'
import { apiKeyGrants, apiKeyPrincipal } from '../api-keys/authenticate.ts'
import { idOfKey } from '../api-keys/key.ts'
import { newKeyToken } from '../api-keys/key-token.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { covers } from '../roles/built-in.ts'
import { findResource } from './find-client.ts'

type Needs = Pick<Deps, 'kernel' | 'permissions' | 'tokens'>
type Form = {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  readonly scope?: string | undefined
  readonly resource?: string | undefined
}
type Given = {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope?: string
}

export async function clientCredentials(deps: Needs, form: Form): Promise<Given> {
  const { kernel } = deps
  const key = await keyOf(deps, form)
  const words = (form.scope ?? '').split(' ').filter(Boolean)
  const expires_in = kernel.settings['identity.access_ttl_seconds']
  const common = { token_type: 'Bearer', expires_in } as const
  const found = await findResource(kernel.db, deps, form.resource ?? `${kernel.public_url}/v1`, key)
  // A key works in one tenant, and so do its tokens.
  if (!found || (found.tenant_id !== null && found.tenant_id !== key.tenant_id)) {
    throw problem('invalid_target')
  }
  const { audience, scopes } = found
  if (audience === null || scopes === null) {
    const held = await apiKeyGrants(kernel.db, deps, key)
    refuseScope(words.find(word => !covers(held, word)))
    const expires_at = kernel.clock.nowSeconds() + expires_in
    const access_token = newKeyToken(kernel.keys, { id: key.id, expires_at })
    // The token has all of the key, also where less was asked for.
    return { ...common, access_token, scope: [...held].sort().join(' ') }
  }
  const names = new Set(scopes.map(({ name }) => name))
  refuseScope(words.find(word => !names.has(word)))
  const { id, tenant_id } = key
  const access_token = deps.tokens.sign({
    // A program is never taken for the person who made its key (RFC 9068, 2.2).
    account_id: id,
    session_id: id,
    tenant_id,
    aal: 'aal1',
    amr: [],
    auth_time: 0,
    narrow: { scope: words, client_id: id, audience, away: false },
  })
  return { ...common, access_token, scope: words.join(' ') }
}

async function keyOf({ kernel }: Needs, { client_id, client_secret = '' }: Form) {
  if (client_id === undefined || idOfKey(client_secret) !== client_id) {
    throw problem('invalid_client')
  }
  try {
    return await apiKeyPrincipal(kernel, client_secret)
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'invalid_token')) throw error
    throw problem('invalid_client', { detail: error.details.detail ?? '' }, { cause: error })
  }
}

function refuseScope(word: string | undefined): void {
  if (word === undefined) return
  throw problem('invalid_scope', { detail: `The key does not give \`${word}\` there.` })
}
