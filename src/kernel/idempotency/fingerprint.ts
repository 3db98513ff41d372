/**
 * Decides when two requests are "the same". The fingerprint covers the operation, the ids in the
 * path, the query in any order, and the body as sent (before unknown fields are dropped). White
 * space and the order of properties do not matter. The caller and the credential are part of the
 * record's key, not of the fingerprint.
 */
import { createHash, hash } from 'node:crypto'
import canonicalize from 'canonicalize'

export function fingerprint(request: {
  operation: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  media_type: string
  body: unknown
}): Buffer {
  const { body, ...rest } = request
  const head = `${canonicalize(rest) ?? ''}\n`
  if (Buffer.isBuffer(body)) return createHash('sha256').update(head).update(body).digest()
  const text = body === undefined ? '' : (canonicalize(body) ?? '')
  return hash('sha256', head + text, 'buffer')
}
