/**
 * Decides which requests of other origins a browser may send here, and which reply headers their
 * scripts may read.
 */
import type { Access } from '../../access/principal.ts'
import { after } from '../contract/after.ts'
import type { Exchange } from './exchange.ts'

const corsHeaders =
  'authorization, content-type, idempotency-key, if-match, if-none-match, x-csrf-token, traceparent, last-event-id, x-amz-checksum-sha256, range, prefer, mcp-protocol-version, mcp-method, mcp-name, x-tags'
const exposedHeaders =
  'x-request-id, location, link, etag, retry-after, idempotent-replayed, ratelimit, ratelimit-policy, content-range, accept-ranges, repr-digest, www-authenticate'

export type OtherOrigins = {
  /** Their pages may send cookies too. */
  readonly listed: readonly string[]
  /** Pages of this machine may call without cookies, such as those of a development server. */
  readonly this_machine: boolean
}

/** Without a list, development allows each origin of this machine, and production allows none. */
export function otherOrigins(
  profile: 'development' | 'production',
  listed: readonly string[],
): OtherOrigins {
  return { listed, this_machine: profile === 'development' && listed.length === 0 }
}

const this_machine = /^https?:\/\/(localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

export function isAllowed({ listed, this_machine: here }: OtherOrigins, origin: string): boolean {
  return listed.includes(origin) || (here && this_machine.test(origin))
}

/** Such a route is open to all. Browsers refuse the reply if a script asked with cookies. */
export function allowAnyOrigin({ method, reply_headers }: Exchange): void {
  reply_headers['access-control-allow-origin'] = '*'
  reply_headers['access-control-expose-headers'] = exposedHeaders
  if (method === 'OPTIONS') allowCall(reply_headers)
}

/** The OPTIONS request below is a preflight. */
export function allowOrigin(
  allowed: OtherOrigins,
  { isClientOrigin }: Pick<Access, 'isClientOrigin'>,
  exchange: Exchange,
): void | Promise<void> {
  const { origin } = exchange.headers
  exchange.reply_headers['vary'] = 'origin'
  if (!origin) return
  if (isAllowed(allowed, origin)) return allow(allowed, origin, exchange)
  return after(isClientOrigin?.(origin) ?? false, is => {
    if (is) allow(allowed, origin, exchange)
  })
}

function allow(allowed: OtherOrigins, origin: string, { method, reply_headers }: Exchange): void {
  reply_headers['access-control-allow-origin'] = origin
  if (allowed.listed.includes(origin)) reply_headers['access-control-allow-credentials'] = 'true'
  reply_headers['access-control-expose-headers'] = exposedHeaders
  if (method === 'OPTIONS') allowCall(reply_headers)
}

function allowCall(reply_headers: Exchange['reply_headers']): void {
  reply_headers['access-control-allow-methods'] = 'GET, HEAD, POST, PUT, PATCH, DELETE'
  reply_headers['access-control-allow-headers'] = corsHeaders
  reply_headers['access-control-max-age'] = '600'
}
