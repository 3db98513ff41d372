/**
 * The statement that creates a link, or does nothing if the code is taken. The codes of earlier
 * domains of the host count as taken, also of the same owner: links with these codes may be printed.
 */
import { sql, type Principal, type Sql, type Tx } from '#dodeca/kernel'
import type { Destination } from '../destinations/normalize.ts'
import type { Screened } from '../destinations/screen.ts'
import type { CreateLink, Policy } from '../schemas.ts'
import { columns, LinkRow, type LinkDomain } from './link-row.ts'

/** An order that passed all rules. */
export type NewLink = {
  readonly order: CreateLink
  /** The order's index in the body. */
  readonly at: string
  readonly alias: string | null
  readonly destination: Destination
  readonly policy: Policy
  readonly domain: LinkDomain
  readonly screened: Screened
}

export function insertLink(
  tx: Tx,
  { tenant_id, id: owner_id }: Principal,
  { order, destination, policy, domain, screened }: NewLink,
  { id, code }: { readonly id: string; readonly code: string },
): Promise<LinkRow | undefined> {
  const max_clicks = order.max_clicks ?? null
  return tx.maybe(
    LinkRow,
    sql`
      insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
        destination_host, state, safety_state, scan_due_at, redirect_status, scan, query,
        cache_seconds, edge_cache_seconds, title, max_clicks, remaining_clicks, expires_at)
      select ${tenant_id}, ${domain.id}, ${code}, ${id}, ${owner_id}, ${destination.url},
        ${destination.reversed_host}, ${screened.state}, ${screened.safety_state},
        case when ${screened.scan}::boolean then kernel.now() end, ${policy.redirect_status},
        ${policy.scan}, ${policy.query}, ${policy.cache_seconds}, ${policy.edge_cache_seconds},
        ${order.title ?? null}, ${max_clicks}, ${max_clicks}, ${order.expires_at ?? null}
      where ${isFree(domain, code)}
      on conflict do nothing
      returning ${columns}, 0::bigint as clicks`,
  )
}

function isFree({ id, hostname, own }: LinkDomain, code: string): Sql {
  if (!own) return sql`true`
  return sql`
    -- any tenant: a host may have had other domains, whose codes stay as rows
    not exists (select from links.domains d
      join links.links l on l.domain_id = d.id and l.code = ${code}
      where d.hostname = ${hostname} and d.id <> ${id})`
}
