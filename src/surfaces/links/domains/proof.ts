/**
 * Verifies the ownership of a host by a secret in a TXT record. The record is on a separate label,
 * so that it does not conflict with a CNAME. The secret is shown once. The stored hash is enough to
 * recognize the secret in later checks.
 */
import { createHash } from 'node:crypto'
import { newSecret } from '#dodeca/kernel'

const prefix = 'links-verification='

export type NewProof = { readonly record_value: string; readonly hash: Buffer }

export function newProof(): NewProof {
  const token = newSecret(32)
  return { record_value: prefix + token, hash: hashOf(token) }
}

export function recordName(hostname: string): string {
  return `_links-challenge.${hostname}`
}

export function isProof(records: readonly string[], hash: Uint8Array): boolean {
  return records.some(record => {
    const value = record.trim()
    return value.startsWith(prefix) && hashOf(value.slice(prefix.length)).equals(hash)
  })
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
