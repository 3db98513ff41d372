/**
 * The links of their owner, newest first, except links on a removed domain. A filter may match one
 * link in a million. So one request scans a limited number of links, and the next request continues
 * from there.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, pageQuery, sql, text } from '#dodeca/kernel'
import type { CursorPart, Principal, Reader } from '#dodeca/kernel'
import type { LinkDomain } from './link-row.ts'
import { Hostname, State } from '../schemas.ts'
import { clicks, columns, LinkRow, shownState } from './link-row.ts'

export const LinkQuery = pageQuery({
  state: Type.Optional(State),
  domain: Type.Optional(Hostname),
  q: Type.Optional(text(200)),
  owner_id: Type.Optional(Id),
})
export type LinkQuery = Static<typeof LinkQuery>

const Looked = Type.Object({
  ...LinkRow.properties,
  hostname: nullable(Type.String()),
  /** The time in microseconds, because several links of one millisecond need an order. */
  created_us: Type.Integer(),
  wanted: Type.Boolean(),
  /** True for the row at which the scan ended, although there are more links. */
  last: Type.Boolean(),
})
export type LookedLink = Static<typeof Looked>

export function placeOf({ created_us, domain_id, code }: LookedLink): CursorPart[] {
  return [created_us, domain_id, code]
}

export type Look = {
  /** The place of the last link of the previous page. */
  readonly after: CursorPart[] | null
  readonly fetch: number
  /** The number of links to scan. */
  readonly rows_max: number
}

/** Returns at most `fetch` rows: the matching links, and the row at which the scan ended. */
export function listLinks(
  reader: Reader,
  { tenant_id, id: owner_id }: Principal,
  { state, q }: LinkQuery,
  domain: LinkDomain | null,
  { after, fetch, rows_max }: Look,
): Promise<LookedLink[]> {
  const [created_us = null, after_domain = null, after_code = null] = after ?? []
  const pattern = q === undefined ? null : `%${q.replaceAll(/[%_\\]/g, sign => `\\${sign}`)}%`
  const before = sql`coalesce(
    to_timestamp(0) + ${created_us}::bigint * interval '1 microsecond', 'infinity')`
  // Rows are streamed, so a full page ends the scan.
  return reader.many(
    Looked,
    sql`
      select ${columns}, ${clicks}, links.hostname, links.wanted, links.n = ${rows_max} as last,
        (extract(epoch from links.created_at) * 1000000)::bigint as created_us
      from (
        select links.id, links.code, links.domain_id, links.owner_id, links.destination_url,
          links.state, links.safety_state, links.destination_version, links.version,
          links.created_at, links.updated_at, links.expires_at, links.max_clicks,
          links.remaining_clicks, links.title, links.redirect_status, links.scan, links.query,
          links.cache_seconds, links.edge_cache_seconds, d.hostname,
          row_number() over (order by links.created_at desc, links.domain_id, links.code) as n,
          d.state is distinct from 'removed'
            and (${domain?.id ?? null}::uuid is null
              or links.domain_id = ${domain?.id ?? null}::uuid)
            and (${state ?? null}::text is null or ${shownState} = ${state ?? null}::text)
            and (${pattern}::text is null or links.code ilike ${pattern}
              or coalesce(links.title, '') ilike ${pattern}
              or links.destination_url ilike ${pattern}) as wanted
        from links.links left join links.domains d on d.id = links.domain_id
        where links.tenant_id = ${tenant_id} and links.owner_id = ${owner_id}
          and links.state <> 'deleted'
          -- where to begin, in words that the index understands also without a cursor; then the exact place
          and links.created_at <= ${before}
          and (${created_us}::bigint is null or links.created_at < ${before}
            or (links.domain_id, links.code) > (${after_domain}::uuid, ${after_code}::text))
        order by links.created_at desc, links.domain_id, links.code
        limit ${rows_max}
      ) links
      where links.wanted or links.n = ${rows_max}
      order by links.created_at desc, links.domain_id, links.code
      limit ${fetch}`,
  )
}

/**
 * If the scan ended before the page was full, the next page continues from the last row of the
 * scan. Empty entries with the position of that row fill the page. They are removed when the cursor
 * is made.
 */
export function filled(looked: readonly LookedLink[], fetch: number): LookedLink[] {
  const wanted = looked.filter(row => row.wanted)
  const last = looked.find(row => row.last)
  if (!last) return wanted
  const blank = { ...last, wanted: false }
  return [...wanted, ...Array.from({ length: fetch - wanted.length }, () => blank)]
}
