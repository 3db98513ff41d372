/**
 * Decides which requests of other origins a browser may send here, and which reply headers their
 * scripts may read.
 */
import type { Exchange } from './exchange.ts'

const corsHeaders =
  'authorization, content-type, idempotency-key, if-match, if-none-match, x-csrf-token, traceparent, last-event-id, x-amz-checksum-sha256, range, prefer'
const exposedHeaders =
  'x-request-id, location, link, etag, retry-after, idempotent-replayed, x-ignored-fields, ratelimit, ratelimit-policy, content-range, accept-ranges, repr-digest'

/** Only the listed origins are allowed. The OPTIONS request below is a preflight. */
export function allowOrigin(
  origins: readonly string[],
  { headers, method, reply_headers }: Exchange,
): void {
  const { origin } = headers
  reply_headers['vary'] = 'origin'
  if (!origin || !origins.includes(origin)) return
  reply_headers['access-control-allow-origin'] = origin
  reply_headers['access-control-allow-credentials'] = 'true'
  reply_headers['access-control-expose-headers'] = exposedHeaders
  if (method !== 'OPTIONS') return
  reply_headers['access-control-allow-methods'] = 'GET, HEAD, POST, PUT, PATCH, DELETE'
  reply_headers['access-control-allow-headers'] = corsHeaders
  reply_headers['access-control-max-age'] = '600'
}
