/** The row of a link, the query by which its owner finds it, and its representation. */
import { Type, type Static } from 'typebox'
import { columnsOf, Id, sql, viewTag } from '#dodeca/kernel'
import type { Principal, Reader, Sql, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Link, State } from '../schemas.ts'
import { spellings } from './codes.ts'

const { domain: _domain, short_url: _short_url, ...stored } = Link.properties
export const LinkRow = Type.Object({ ...stored, id: Id })
export type LinkRow = Static<typeof LinkRow>

/** The domain of a link, under the name that the owner of the link uses. */
export type LinkDomain = { readonly id: string; readonly hostname: string; readonly own: boolean }

/** What is not a column of the table, whose name in the statement is `of`. */
export function expressionsOf(of: 'links' | 't') {
  const column = (name: string) => sql.id(of, name)
  return {
    // An expired link is shown as expired, even if the sweeper has not set its state yet.
    state: sql`
      case when ${column('state')} in ('active', 'pending_scan')
        and ${column('expires_at')} <= kernel.now() then 'expired' else ${column('state')} end`,
    policy: sql`
      jsonb_build_object('redirect_status', ${column('redirect_status')}, 'scan', ${column('scan')},
        'query', ${column('query')}, 'cache_seconds', ${column('cache_seconds')},
        'edge_cache_seconds', ${column('edge_cache_seconds')})`,
    clicks: sql`
      (select coalesce(sum(s.clicks), 0)::bigint from links.daily_link_stats s
       where s.domain_id = ${column('domain_id')} and s.code = ${column('code')})`,
  }
}

/** The columns belong to the table itself, so that RETURNING and SELECT can both use them. */
const expressions = expressionsOf('links')
export const columns = columnsOf(Type.Omit(LinkRow, ['clicks']), 'links', expressions)
export const clicks = sql`${expressions.clicks} as clicks`

export function linkView(
  { platform }: Pick<Deps, 'platform'>,
  { id: _id, ...row }: LinkRow,
  { hostname, own }: Pick<LinkDomain, 'hostname' | 'own'>,
): Link {
  const short_url = own ? `https://${hostname}/${row.code}` : platform.shortUrl(row.code)
  return { ...row, domain: hostname, short_url }
}

/** Clicks and the end of a link change what is shown, and not the version. */
export function tagOf({ version, clicks: counted, state, remaining_clicks }: Link): string {
  return viewTag(version, [counted, state, remaining_clicks])
}

/** The URL of the link resource. It contains the domain, unless the domain is the platform's. */
export function pathOfLink({ code }: Pick<LinkRow, 'code'>, { hostname, own }: LinkDomain): string {
  return own ? `/v1/links/${code}?domain=${hostname}` : `/v1/links/${code}`
}

/**
 * The link that a code means, like a redirect and a deletion find it: a deleted code does not become
 * the code of the alias with the same letters.
 */
function named(
  { tenant_id, id: owner_id }: Principal,
  { id: domain_id }: LinkDomain,
  code: string,
): Sql {
  return sql`
    links.tenant_id = ${tenant_id} and links.domain_id = ${domain_id} and links.code = (
      select l.code from links.links l
      where l.tenant_id = ${tenant_id} and l.owner_id = ${owner_id} and l.domain_id = ${domain_id}
        and l.code = any(${spellings(code)}::text[])
      order by l.code = ${code} desc
      limit 1)
    and links.state <> 'deleted'`
}

export async function findLink(
  reader: Reader,
  principal: Principal,
  domain: LinkDomain,
  code: string,
): Promise<LinkRow> {
  const found = await reader.maybe(
    LinkRow,
    sql`
      select ${columns}, ${clicks} from links.links
      where ${named(principal, domain, code)}`,
  )
  if (!found) throw problem('link_not_found')
  return found
}

const Held = Type.Object({
  ...LinkRow.properties,
  /** The stored state, even if the expiry time has passed. */
  raw_state: State,
  disabled_by: Type.Union([Type.String(), Type.Null()]),
  owner_disabled: Type.Boolean(),
})
export type HeldLink = Static<typeof Held>

/** Locks the row until the commit, so that checks of the row stay valid. */
export async function holdLink(
  tx: Tx,
  principal: Principal,
  domain: LinkDomain,
  code: string,
): Promise<HeldLink> {
  const found = await tx.maybe(
    Held,
    sql`
      select ${columns}, ${clicks}, links.state as raw_state, links.disabled_by,
        links.owner_disabled
      from links.links
      where ${named(principal, domain, code)}
      for no key update`,
  )
  if (!found) throw problem('link_not_found')
  return found
}
