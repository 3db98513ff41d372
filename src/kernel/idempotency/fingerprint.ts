/**
 * Decides when two requests are "the same". The fingerprint covers the tenant, the operation, the
 * ids in the path, the query in any order, and the body as sent.
 * White space and the order of properties do not matter. The caller is part of the record's key,
 * not of the fingerprint. A caller who has switched the tenant asks for something else, so the key
 * of the one tenant is refused in the other.
 */
import { createHash, hash } from 'node:crypto'

export function fingerprint(request: {
  tenant_id: string
  operation: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  media_type: string
  body: unknown
}): Buffer {
  const { body, ...rest } = request
  const head = `${JSON.stringify(sorted(rest))}\n`
  if (Buffer.isBuffer(body)) return createHash('sha256').update(head).update(body).digest()
  const text = body === undefined ? '' : JSON.stringify(sorted(body))
  return hash('sha256', head + text, 'buffer')
}

/** A copy whose members are in one order. (Half the cost of a canonical text by RFC 8785.) */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const given = value as Readonly<Record<string, unknown>>
  // A Date, or another object that says itself what it is in JSON.
  if (typeof given['toJSON'] === 'function') return sorted(JSON.parse(JSON.stringify(value)))
  return Object.fromEntries(
    Object.keys(given)
      .sort()
      .map(name => [name, sorted(given[name])]),
  )
}
