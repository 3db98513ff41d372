/**
 * The only source of random values. Ids are UUIDv7: they are ordered by creation, so lists can sort
 * by id alone when other values are equal. Secrets come from the system's random generator, and
 * jitter spreads retries. No other code may call a random source, so that a test can control all of
 * them.
 */
import { randomBytes, webcrypto } from 'node:crypto'
import { V7Generator } from 'uuidv7'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

// Random bytes for a few hundred ids are fetched together. Fetched one by one, they would be half
// the cost of an id.
const pool = new Uint32Array(1024)
let used = pool.length
const generator = new V7Generator({
  nextUint32: () => {
    if (used === pool.length) {
      webcrypto.getRandomValues(pool)
      used = 0
    }
    return pool[used++] ?? 0
  },
})

/** Runs before every id that is made. */
export const nil_id = '00000000-0000-0000-0000-000000000000'

export function newId(): string {
  return generator.generate().toString()
}

export function isId(value: string): boolean {
  return uuid.test(value)
}

/** A bearer secret: at least 16 bytes, base64url without padding. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}

export const nonce_bytes = 12
let nonces: Buffer = Buffer.alloc(0)

/** A random nonce for one sealed value. Many are fetched together, as for ids. */
export function newNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(nonce_bytes * 256)
  const nonce = nonces.subarray(0, nonce_bytes)
  nonces = nonces.subarray(nonce_bytes)
  return nonce
}

/** A number in [0, 1) that spreads retries and polls. It is never used for security. */
export function jitter(): number {
  return Math.random()
}
