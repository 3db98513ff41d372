/**
 * Logins at an OpenID provider. Its metadata is fetched once and cached. Every call uses
 * `safeFetch`, because a provider chooses its own endpoints. Signatures are always checked, and only
 * the algorithms of `discover.ts` are accepted.
 */
import type { Configuration } from 'openid-client'
import type { SafeFetch } from '#dodeca/kernel'
import type { OpenedConnection } from '../connections/connection.ts'
import { nonceOf, verifierOf } from './browser-binding.ts'
import type { Party, Way } from './party.ts'
import type { Provider } from './providers.ts'

const kept_ms = 3_600_000
const retry_ms = 60_000

export function openOidcParty(
  provider: Provider,
  safeFetch: SafeFetch,
  connection: OpenedConnection | null = null,
): Party {
  const configuration = keeping(async () => {
    // The library takes 2 MB. It is loaded with the first login at a provider.
    const { discover } = await import('./discover.ts')
    return await discover(provider, safeFetch)
  })
  return {
    name: provider.name,
    connection,
    ready: async () => {
      await configuration()
    },
    leadTo: async way => await addressOf(await configuration(), provider, way),
    prove: async (way, returned) => {
      const { proveIdentity } = await import('./prove-identity.ts')
      const also = connection?.role_map.map(({ claim }) => claim) ?? []
      return await proveIdentity(await configuration(), provider, { way, returned, also })
    },
  }
}

/** A failed renewal keeps the earlier metadata and is tried again after a minute. */
function keeping(read: () => Promise<Configuration>): () => Promise<Configuration> {
  let kept: { readonly configuration: Configuration; until: number } | undefined
  let running: Promise<Configuration> | undefined
  const renew = async (): Promise<Configuration> => {
    try {
      const configuration = await read()
      kept = { configuration, until: performance.now() + kept_ms }
      return configuration
    } catch (error) {
      if (!kept) throw error
      kept.until = performance.now() + retry_ms
      return kept.configuration
    } finally {
      running = undefined
    }
  }
  return async () => {
    if (kept && performance.now() < kept.until) return kept.configuration
    running ??= renew()
    return await running
  }
}

async function addressOf(
  configuration: Configuration,
  { scope, apple }: Provider,
  { redirect_uri, secret, state }: Way,
): Promise<string> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
  const url = buildAuthorizationUrl(configuration, {
    response_type: 'code',
    redirect_uri,
    scope,
    state,
    nonce: nonceOf(secret, state),
    code_challenge: await calculatePKCECodeChallenge(verifierOf(secret, state)),
    code_challenge_method: 'S256',
    ...(apple ? { response_mode: 'form_post' } : {}),
  })
  return url.href
}
