/**
 * The client secret that Apple wants: a JWT that the key of a team signs (ES256) for one exchange.
 */
import { createPrivateKey } from 'node:crypto'
import { openClock } from '#dodeca/kernel'
import { signEs256 } from '../keys/es256.ts'

export type AppleKey = {
  readonly team_id: string
  readonly key_id: string
  /** PKCS #8 in PEM, as Apple gives it. */
  readonly private_key: string
}

const life_seconds = 300
/** Of Apple's time: that of the platform may have been moved. */
const clock = openClock()
const audience = 'https://appleid.apple.com'

export function appleSecret({ team_id, key_id, private_key }: AppleKey, client_id: string): string {
  const now = clock.nowSeconds()
  const head = { alg: 'ES256', kid: key_id, typ: 'JWT' }
  const claims = { iss: team_id, iat: now, exp: now + life_seconds, aud: audience, sub: client_id }
  const text = [head, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${signEs256(text, createPrivateKey(private_key)).toString('base64url')}`
}

/** Whether this is the private key of a team: on the curve that ES256 needs. */
export function isAppleKey(private_key: string): boolean {
  try {
    return createPrivateKey(private_key).asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    // Any other text.
    return false
  }
}
