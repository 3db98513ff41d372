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
export function allowOrigin(origins: readonly string[], { headers, method, told }: Exchange): void {
  const { origin } = headers
  told['vary'] = 'origin'
  if (!origin || !origins.includes(origin)) return
  told['access-control-allow-origin'] = origin
  told['access-control-allow-credentials'] = 'true'
  told['access-control-expose-headers'] = exposedHeaders
  if (method !== 'OPTIONS') return
  told['access-control-allow-methods'] = 'GET, HEAD, POST, PUT, PATCH, DELETE'
  told['access-control-allow-headers'] = corsHeaders
  told['access-control-max-age'] = '600'
}
