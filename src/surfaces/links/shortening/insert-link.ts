/** The statement that creates a link, or does nothing if the code is taken on this domain. */
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
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
      values (${tenant_id}, ${domain.id}, ${code}, ${id}, ${owner_id}, ${destination.url},
        ${destination.reversed_host}, ${screened.state}, ${screened.safety_state},
        case when ${screened.scan}::boolean then kernel.now() end, ${policy.redirect_status},
        ${policy.scan}, ${policy.query}, ${policy.cache_seconds}, ${policy.edge_cache_seconds},
        ${order.title ?? null}, ${max_clicks}, ${max_clicks}, ${order.expires_at ?? null})
      on conflict do nothing
      returning ${columns}, 0::bigint as clicks`,
  )
}
