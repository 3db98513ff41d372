/**
 * Decides which requests of other origins a browser may send here, and which reply headers their
 * scripts may read.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

const corsHeaders =
  'authorization, content-type, idempotency-key, if-match, if-none-match, x-csrf-token, traceparent, last-event-id, x-amz-checksum-sha256, range, prefer'
const exposedHeaders =
  'x-request-id, location, link, etag, retry-after, idempotent-replayed, x-ignored-fields, ratelimit, ratelimit-policy, content-range, accept-ranges, repr-digest'

/** Only the listed origins are allowed. The OPTIONS request below is a preflight. */
export function allowOrigin(
  origins: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { origin } = request.headers
  void reply.header('vary', 'origin')
  if (!origin || !origins.includes(origin)) return
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': exposedHeaders,
  })
  if (request.method !== 'OPTIONS') return
  void reply.headers({
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': corsHeaders,
    'access-control-max-age': '600',
  })
}
