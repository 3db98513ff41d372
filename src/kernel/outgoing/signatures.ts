/**
 * Signatures of incoming and outgoing messages, over the raw bytes. Every valid secret is tried
 * against every given signature in constant time. The signature is checked before the timestamp.
 * Outgoing messages and most incoming ones follow Standard Webhooks.
 */
import { Buffer } from 'node:buffer'
import {
  createHmac,
  createPublicKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
  verify as verifyWithKey,
} from 'node:crypto'

export type SignatureVerdict =
  | { readonly outcome: 'ok'; /** Which of the secrets matched. */ readonly secret: number }
  | { readonly outcome: 'signature_invalid' | 'timestamp_out_of_window' }

/**
 * A caller that uses a secret often should store it as a key. If it passes bytes, the key is made
 * each time (12 instead of 3 µs).
 */
export type Secret = Buffer | KeyObject

export type SignedMessage = {
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly secrets: readonly Secret[]
  /** The signed parts, in order. */
  readonly content: readonly (string | Buffer)[]
  readonly signatures: readonly Buffer[]
  /** Seconds since the epoch as the sender wrote them, or null if the scheme has no timestamp. */
  readonly timestamp: string | null
  readonly now_seconds: number
  readonly window_seconds?: number
}

export type MessageHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type StandardHeaders = {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

const default_window_seconds = 300
/** This limits the work for any input. */
const signatures_max = 16
const secret_prefix = 'whsec_'
const key_prefix = 'whpk_'
const key_bytes = 32
const secret_bytes = { min: 24, max: 64, new: 32 } as const

export function verifySigned(message: SignedMessage): SignatureVerdict {
  const { secrets, signatures, timestamp, now_seconds } = message
  const given = signatures.slice(0, signatures_max)
  let matched = -1
  for (const [index, secret] of secrets.entries()) {
    const expected = hmac(message.algorithm, secret, message.content)
    // The loop does not end early, because the time must not reveal which secret or signature
    // matched.
    const fits = given.map(one => one.length === expected.length && timingSafeEqual(one, expected))
    if (matched < 0 && fits.includes(true)) matched = index
  }
  if (matched < 0) return { outcome: 'signature_invalid' }
  if (timestamp !== null && !inWindow(timestamp, now_seconds, message.window_seconds)) {
    return { outcome: 'timestamp_out_of_window' }
  }
  return { outcome: 'ok', secret: matched }
}

function hmac(algorithm: string, secret: Secret, content: readonly (string | Buffer)[]): Buffer {
  const hash = createHmac(algorithm, secret)
  for (const part of content) hash.update(part)
  return hash.digest()
}

function inWindow(timestamp: string, now_seconds: number, window = default_window_seconds) {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now_seconds - Number(timestamp)) <= window
}

/**
 * The three headers of Standard Webhooks, with one `v1` signature for each secret, in the given
 * order.
 */
export function signStandard(message: {
  id: string
  timestamp_seconds: number
  body: Buffer
  secrets: readonly Secret[]
}): StandardHeaders {
  const { id, body } = message
  const timestamp = String(message.timestamp_seconds)
  // If the id could contain a dot, two different messages could have the same signed text.
  if (id.includes('.')) throw new Error('the id of a signed message must not contain a dot')
  const signatures = message.secrets.map(
    secret =>
      `v1,${hmac('sha256', secret, standardContent(id, timestamp, body)).toString('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

export function verifyStandard(message: {
  headers: MessageHeaders
  body: Buffer
  secrets: readonly Secret[]
  now_seconds: number
  window_seconds?: number
}): SignatureVerdict {
  const { headers, body, secrets, now_seconds, window_seconds = default_window_seconds } = message
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signature = headers['webhook-signature']
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') {
    return { outcome: 'signature_invalid' }
  }
  return verifySigned({
    algorithm: 'sha256',
    secrets,
    content: standardContent(id, timestamp, body),
    signatures: signature
      .split(' ')
      .filter(one => one.startsWith('v1,'))
      .map(one => Buffer.from(one.slice('v1,'.length), 'base64')),
    timestamp,
    now_seconds,
    window_seconds,
  })
}

/** The asymmetric scheme of Standard Webhooks (`v1a`, Ed25519). The verifier has no secret. */
export function verifyStandardByKey(message: {
  headers: MessageHeaders
  body: Buffer
  key: KeyObject
  now_seconds: number
  window_seconds?: number
}): SignatureVerdict {
  const { headers, body, key, now_seconds, window_seconds } = message
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signature = headers['webhook-signature']
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') {
    return { outcome: 'signature_invalid' }
  }
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  const fits = signature
    .split(' ')
    .filter(one => one.startsWith('v1a,'))
    .slice(0, signatures_max)
    .some(one => verifyWithKey(null, content, key, Buffer.from(one.slice(4), 'base64')))
  if (!fits) return { outcome: 'signature_invalid' }
  return inWindow(timestamp, now_seconds, window_seconds)
    ? { outcome: 'ok', secret: 0 }
    : { outcome: 'timestamp_out_of_window' }
}

/** Returns the key of a `whpk_` text, or null if the text is not such a key. */
export function parseStandardKey(text: string): KeyObject | null {
  if (!text.startsWith(key_prefix)) return null
  const encoded = text.slice(key_prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length !== key_bytes || bytes.toString('base64') !== encoded) return null
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
  return createPublicKey({ key: jwk, format: 'jwk' })
}

function standardContent(
  id: string,
  timestamp: string,
  body: Buffer,
): readonly (string | Buffer)[] {
  return [`${id}.${timestamp}.`, body]
}

export function newStandardSecret(): string {
  return secret_prefix + randomBytes(secret_bytes.new).toString('base64')
}

/** Returns the bytes of a `whsec_` secret, or null if it does not have 24 to 64 bytes. */
export function parseStandardSecret(text: string): Buffer | null {
  if (!text.startsWith(secret_prefix)) return null
  const encoded = text.slice(secret_prefix.length)
  const secret = Buffer.from(encoded, 'base64')
  const long_enough = secret.length >= secret_bytes.min && secret.length <= secret_bytes.max
  return long_enough && secret.toString('base64') === encoded ? secret : null
}
