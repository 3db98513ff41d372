/**
 * The calls of the platform to identity providers. The metadata of a provider is fetched once and
 * cached. Every call uses `safeFetch`, because a provider chooses its own endpoints. Signatures are
 * always checked, and only the algorithms in the list below are accepted.
 */
import type { Configuration } from 'openid-client'
import { openSafeFetch } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { readProviders, readRedirectUris, type Provider } from './providers.ts'

export type RelyingParty = {
  readonly provider: Provider
  /** Throws if the provider is unreachable or its metadata is invalid. */
  configuration(): Promise<Configuration>
}

export type Oidc = {
  readonly redirect_uris: ReadonlySet<string>
  /** All spellings of the issuers that are configured now. */
  readonly issuers: readonly string[]
  readonly names: readonly string[]
  party(name: string): RelyingParty | undefined
}

const kept_ms = 3_600_000
const retry_ms = 60_000

export function openOidc(kernel: Pick<Kernel, 'settings' | 'profile'>): Oidc {
  const providers = readProviders(kernel)
  const parties = new Map(providers.map(one => [one.name, openParty(one)]))
  return {
    redirect_uris: readRedirectUris(kernel),
    // Some providers end the issuer with a slash and some do not.
    issuers: providers.flatMap(({ issuer: { href } }) => [href, href.replace(/\/$/, '')]),
    names: [...parties.keys()],
    party: name => parties.get(name),
  }
}

function openParty(provider: Provider): RelyingParty {
  const safeFetch = openSafeFetch({
    ports: [443, 8443, Number(provider.issuer.port || 443)],
    allow: provider.allow,
    schemes: provider.issuer.protocol === 'https:' ? ['https:'] : ['https:', 'http:'],
    // Logins are rare, so no connection is kept open and none has to be closed.
    idle_connections_max: 0,
  })
  let kept: { readonly configuration: Configuration; until: number } | undefined
  let running: Promise<Configuration> | undefined
  const renew = async (): Promise<Configuration> => {
    try {
      // The library takes 2 MB. It is loaded with the first login at a provider.
      const { discover } = await import('./discover.ts')
      const configuration = await discover(provider, safeFetch)
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
  return {
    provider,
    configuration: async () => {
      if (kept && performance.now() < kept.until) return kept.configuration
      running ??= renew()
      return await running
    },
  }
}
