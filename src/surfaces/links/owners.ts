/**
 * Finds the principal for whom a request about a link or a domain acts. Both belong to the account
 * or the API key that created them. An account also manages what its API keys created: otherwise
 * nothing could manage a link after its key was revoked.
 */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { findDomain, spelled } from './domains/find-domain.ts'
import { platform_domain_id } from './domains/platform.ts'
import { problem } from './errors.ts'
import { spellings } from './shortening/codes.ts'
import type { LinkDomain } from './shortening/link-row.ts'

type Needs = Pick<Deps, 'people' | 'platform'>

const Owner = Type.Object({ owner_id: Id })

/** The owner of a link for whom the caller may act, and the domain of the link. */
export async function ownLink(
  reader: Reader,
  deps: Needs,
  caller: Principal,
  code: string,
  domain: string | undefined,
): Promise<{ readonly principal: Principal; readonly domain: LinkDomain }> {
  const principal = await ownerOfLink(reader, deps, caller, code, domain)
  return { principal, domain: await findDomain(reader, deps, principal, domain) }
}

async function ownerOfLink(
  reader: Reader,
  deps: Needs,
  principal: Principal,
  code: string,
  domain: string | undefined,
): Promise<Principal> {
  const hostname = domain === undefined ? null : spelled(domain)
  const own = hostname !== null && !deps.platform.hosts.has(hostname)
  const { tenant_id } = principal
  return await actingFor(
    reader,
    deps,
    principal,
    sql`
      select distinct l.owner_id from links.links l
      where l.tenant_id = ${tenant_id} and l.code = any(${spellings(code)}::text[])
        and l.domain_id in (
          select ${platform_domain_id}::uuid where not ${own}::boolean
          union all
          select d.id from links.domains d
          where ${own}::boolean and d.tenant_id = ${tenant_id} and d.hostname = ${hostname}::text
            and d.state <> 'removed')
      limit ${looked}`,
  )
}

export async function ownerOfDomain(
  reader: Reader,
  deps: Needs,
  principal: Principal,
  domain_id: string,
): Promise<Principal> {
  return await actingFor(
    reader,
    deps,
    principal,
    sql`
      select owner_id from links.domains
      where tenant_id = ${principal.tenant_id} and id = ${domain_id}`,
  )
}

/** The owner of a list: the caller, or the given API key of the caller. */
export async function ownerOfList(
  reader: Reader,
  { people }: Needs,
  principal: Principal,
  owner_id: string | undefined,
): Promise<Principal> {
  if (owner_id === undefined || owner_id === principal.id) return principal
  const keys = principal.kind === 'account' ? await people.keysOf(reader, principal) : []
  if (keys.includes(owner_id)) return { ...principal, id: owner_id }
  throw problem('validation_failed', {
    detail: 'The owner must be your account or an API key that you created: `GET /v1/api-keys`.',
    errors: [{ location: 'query', pointer: '/owner_id', constraint: 'owner' }],
  })
}

/** In one tenant few claims have the same host name. */
const looked = 20

async function actingFor(
  reader: Reader,
  { people }: Needs,
  principal: Principal,
  owners: Sql,
): Promise<Principal> {
  if (principal.kind !== 'account') return principal
  const found = (await reader.many(Owner, owners)).map(({ owner_id }) => owner_id)
  if (found.length === 0 || found.includes(principal.id)) return principal
  const keys = await people.keysOf(reader, principal)
  const key = found.find(id => keys.includes(id))
  return key === undefined ? principal : { ...principal, id: key }
}
