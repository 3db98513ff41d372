/** The links of their owner, newest first. Those on a domain that was removed are gone with it. */
import { Type, type Static } from 'typebox'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { nullable, pageQuery, text } from '../../../kernel/http/shapes.ts'
import type { CursorPart } from '../../../kernel/http/cursor.ts'
import type { LinkDomain } from './link-row.ts'
import { Hostname, State } from '../schemas.ts'
import { clicks, columns, LinkRow, shownState } from './link-row.ts'

export const LinkQuery = pageQuery({
  state: Type.Optional(State),
  domain: Type.Optional(Hostname),
  q: Type.Optional(text(200)),
})
export type LinkQuery = Static<typeof LinkQuery>

const Listed = Type.Object({
  ...LinkRow.properties,
  hostname: nullable(Type.String()),
  /** Microseconds: rows of one millisecond still have an order. */
  created_us: Type.Integer(),
})
export type ListedLink = Static<typeof Listed>

export function placeOf({ created_us, domain_id, code }: ListedLink): CursorPart[] {
  return [created_us, domain_id, code]
}

export function listLinks(
  reader: Reader,
  { tenant_id, id: owner_id }: Principal,
  { state, q }: LinkQuery,
  domain: LinkDomain | null,
  { after, fetch }: { readonly after: CursorPart[] | null; readonly fetch: number },
): Promise<ListedLink[]> {
  const [created_us = null, after_domain = null, after_code = null] = after ?? []
  const wanted = q === undefined ? null : `%${q.replaceAll(/[%_\\]/g, sign => `\\${sign}`)}%`
  const before = sql`coalesce(
    to_timestamp(0) + ${created_us}::bigint * interval '1 microsecond', 'infinity')`
  return reader.many(
    Listed,
    sql`
      select ${columns}, ${clicks}, d.hostname,
        (extract(epoch from links.created_at) * 1000000)::bigint as created_us
      from links.links left join links.domains d on d.id = links.domain_id
      where links.tenant_id = ${tenant_id} and links.owner_id = ${owner_id}
        and links.state <> 'deleted' and d.state is distinct from 'removed'
        and (${domain?.id ?? null}::uuid is null or links.domain_id = ${domain?.id ?? null}::uuid)
        and (${state ?? null}::text is null or ${shownState} = ${state ?? null}::text)
        and (${wanted}::text is null or links.code ilike ${wanted} or links.title ilike ${wanted}
          or links.destination_url ilike ${wanted})
        -- where to begin, in words that the index understands also without a cursor; then the exact place
        and links.created_at <= ${before}
        and (${created_us}::bigint is null or links.created_at < ${before}
          or (links.domain_id, links.code) > (${after_domain}::uuid, ${after_code}::text))
      order by links.created_at desc, links.domain_id, links.code
      limit ${fetch}`,
  )
}
