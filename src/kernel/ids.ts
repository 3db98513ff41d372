/**
 * The one place where the platform is random: ids are UUIDv7 (ordered by creation, so that they are
 * their own tie-breaker in lists), secrets come from the system's generator, and jitter spreads
 * retries. Nothing else may call a random source, so that a test can reason about all of them.
 */
import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function newId(): string {
  return uuidv7()
}

export function isId(value: string): boolean {
  return uuid.test(value)
}

/** A bearer secret: at least 16 bytes, base64url without padding. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}

/** A number in [0, 1) that spreads retries and polls; never used where an attacker could gain. */
export function jitter(): number {
  return Math.random()
}
