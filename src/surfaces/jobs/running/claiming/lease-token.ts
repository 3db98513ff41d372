/**
 * The bearer of one attempt. It is made from the attempt and its claim under the platform's key, so that
 * a claim whose answer was lost is answered again with the same tokens, and a row holds only its hash.
 */
import { hash } from 'node:crypto'
import type { Keyring } from '../../../../kernel/keys.ts'

export function leaseToken(keys: Keyring, attempt_id: string, claim_id: string): string {
  return keys.mac('jobs.lease', Buffer.from(`${attempt_id} ${claim_id}`)).toString('base64url')
}

export function hashOf(lease_token: string): Buffer {
  return hash('sha256', lease_token, 'buffer')
}
