/**
 * The columns of a link that determine where a request is sent. They are read by key for many links
 * in one statement. The database's clock computes the remaining life, so that all processes end a
 * link at the same time.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'

export const Target = Type.Object({
  domain_id: Type.String(),
  code: Type.String(),
  id: Type.String(),
  destination_url: Type.String(),
  state: Type.String(),
  safety_state: Type.String(),
  redirect_status: Type.Integer(),
  scan: Type.String(),
  query: Type.String(),
  cache_seconds: Type.Integer(),
  edge_cache_seconds: Type.Integer(),
  counted: Type.Boolean(),
  created_at: Type.String(),
  /** Milliseconds. Null if the link has no end; zero or less if the end has passed. */
  life_ms: nullable(Type.Number()),
})
export type Target = Static<typeof Target>

export type Key = { readonly domain_id: string; readonly code: string }

export function readTargets(reader: Reader, keys: readonly Key[]): Promise<Target[]> {
  return reader.many(
    Target,
    sql`
      -- any tenant: a code leads visitors of all tenants to the same place
      select l.domain_id, l.code, l.id, l.destination_url, l.state, l.safety_state,
        l.redirect_status, l.scan, l.query, l.cache_seconds, l.edge_cache_seconds,
        l.max_clicks is not null as counted, l.created_at,
        (extract(epoch from l.expires_at - kernel.now()) * 1000)::float8 as life_ms
      from links.links l
        join unnest(${keys.map(key => key.domain_id)}::uuid[], ${keys.map(key => key.code)}::text[])
          as k (domain_id, code) using (domain_id, code)`,
  )
}
