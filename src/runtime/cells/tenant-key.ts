/**
 * Under which name the router remembers the cell of a credential: the tenant that an access token
 * names, else a hash. Nothing is verified here; a forged name only sends the request to a cell that
 * refuses it.
 */
import { createHash } from 'node:crypto'

export function tenantKey(credential: string): string {
  const payload = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/i.exec(credential)?.[1]
  const tenant = payload && tenantOf(payload)
  return tenant ?? createHash('sha256').update(credential).digest('base64url')
}

function tenantOf(payload: string): string | undefined {
  try {
    const { tid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { tid?: unknown }
    return typeof tid === 'string' ? tid : undefined
  } catch {
    return undefined
  }
}
