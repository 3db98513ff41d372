/** Finds the domain of a request: the platform's domain, or a domain of the caller by its name. */
import { Type } from 'typebox'
import { domainToASCII } from 'node:url'
import { Id, sql, type Principal, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { LinkDomain } from '../shortening/link-row.ts'
import { plainHost, platform_domain_id } from './platform.ts'

const Found = Type.Object({ id: Id, hostname: Type.String(), state: Type.String() })

type Wanted = readonly [
  deps: Pick<Deps, 'platform'>,
  owner: Principal,
  /** A request without a name means the platform's domain. */
  hostname: string | undefined,
]

export async function findDomain(reader: Reader, ...wanted: Wanted): Promise<LinkDomain> {
  return (await find(reader, wanted, sql``)).domain
}

/**
 * Finds the domain of a new link. Locks the domain until the commit, so that no link is created on
 * a removed domain.
 */
export async function holdActiveDomain(tx: Tx, ...wanted: Wanted): Promise<LinkDomain> {
  const { domain, state } = await find(tx, wanted, sql`for share`)
  if (state !== 'active') {
    const detail = 'Its DNS record has to be found first: POST /v1/domains/{domain_id}/verify.'
    throw problem('domain_not_active', { detail })
  }
  return domain
}

async function find(
  reader: Reader,
  [{ platform }, { tenant_id, id: owner_id }, given]: Wanted,
  hold: Sql,
): Promise<{ domain: LinkDomain; state: string }> {
  if (given === undefined) return { domain: platformDomain(platform), state: 'active' }
  const hostname = spelled(given)
  if (platform.hosts.has(hostname)) return { domain: platformDomain(platform), state: 'active' }
  const found = await reader.maybe(
    Found,
    sql`
      select id, hostname, state from links.domains
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and hostname = ${hostname}
        and state <> 'removed'
      ${hold}`,
  )
  if (!found) throw problem('domain_not_found')
  return { domain: { id: found.id, hostname, own: true }, state: found.state }
}

export function platformDomain({ hostname }: Deps['platform']): LinkDomain {
  return { id: platform_domain_id, hostname, own: false }
}

/** The name as the column stores it: lower-case ASCII. An invalid host name matches nothing. */
export function spelled(hostname: string): string {
  return domainToASCII(plainHost(hostname)) || hostname
}

/** Finds the domain that owns a host now, for moderators, who see the links of all owners. */
export async function findAnyDomain(
  reader: Reader,
  { platform }: Pick<Deps, 'platform'>,
  given: string | undefined,
): Promise<LinkDomain> {
  const hostname = given === undefined ? platform.hostname : spelled(given)
  if (given === undefined || platform.hosts.has(hostname)) return platformDomain(platform)
  const found = await reader.maybe(
    Found,
    sql`
      -- any tenant: a moderator looks after the links of all
      select id, hostname, state from links.domains
      where hostname = ${hostname} and state in ('active', 'suspended')`,
  )
  if (!found) throw problem('domain_not_found')
  return { id: found.id, hostname, own: true }
}
