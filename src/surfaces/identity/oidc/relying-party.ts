/**
 * The providers at which people may log in: those of the settings, the connections of tenants, and
 * in development those of the sandbox.
 */
import { boundedCache, isId, type Reader } from '#dodeca/kernel'
import { complete, openParty } from '../connections/complete.ts'
import { offeredConnections, openConnection } from '../connections/connection.ts'
import { presets } from '../connections/presets.ts'
import { openPlayed } from '../connections/sandbox.ts'
import type { Kernel } from '../settings.ts'
import { openCalls, portOf } from './addresses.ts'
import { openOidcParty } from './oidc-party.ts'
import type { Party } from './party.ts'
import { readProviders, readRedirectUris, type Provider } from './providers.ts'

type Offer = { readonly provider: string; readonly name: string }

export type Oidc = {
  readonly redirect_uris: ReadonlySet<string>
  /** The issuers of identities that count as a way to log in, besides those of connections. */
  readonly issuers: readonly string[]
  /** By the name in the settings, or the id of a connection. */
  party(name: string): Promise<Party | undefined>
  /** What the log-in page of a tenant offers. */
  offered(reader: Reader, slug: string): Promise<readonly Offer[]>
}

const connections_kept = 1000

export function openOidc(
  kernel: Pick<Kernel, 'settings' | 'profile' | 'data_dir' | 'db' | 'keys'>,
): Oidc {
  const providers = readProviders(kernel)
  const own = new Map(providers.map(one => [one.name, partyOf(one, kernel.profile)]))
  const played = openPlayed(kernel)
  const connected = openConnected(kernel)
  return {
    redirect_uris: readRedirectUris(kernel),
    // Some providers end the issuer with a slash and some do not.
    issuers: [
      ...providers.flatMap(({ issuer: { href } }) => [href, href.replace(/\/$/, '')]),
      ...played.issuers,
    ],
    party: async name =>
      own.get(name) ?? (isId(name) ? await connected(name) : await played.party(name)),
    offered: async (reader, slug) => [
      ...[...own.keys()].map(provider => ({ provider, name: titled(provider) })),
      ...(await played.names()).map(provider => ({ provider, name: presets[provider].title })),
      ...(await offeredConnections(reader, slug)).map(({ id, name }) => ({
        provider: id,
        name,
      })),
    ],
  }
}

function partyOf(provider: Provider, profile: Kernel['profile']): Party {
  const { issuer, allow } = provider
  const calls = openCalls([issuer], profile, { allow, ports: [portOf(issuer)] })
  return openOidcParty(provider, calls)
}

/** The row is read at each login. What is made of it is kept until the row changes. */
function openConnected({ db, keys, profile }: Pick<Kernel, 'db' | 'keys' | 'profile'>) {
  const kept = boundedCache<{ readonly version: number; readonly party: Party }>(connections_kept)
  return async (id: string): Promise<Party | undefined> => {
    const row = await openConnection(db, keys, id)
    if (!row) return undefined
    const before = kept.get(id)
    if (before?.version === row.version) return before.party
    const party = openParty(complete(row, profile), profile, row)
    kept.set(id, { version: row.version, party })
    return party
  }
}

function titled(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
