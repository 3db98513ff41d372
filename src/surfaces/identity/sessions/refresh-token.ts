/**
 * Refresh tokens: `rt_` + base64url(id of the session 16 bytes ‖ secret 32 bytes ‖ tag 8 bytes). The
 * secret of a successor is derived from that of its parent, so that a repeated refresh gets the same
 * successor and a family cannot fork. The tag proves, without a row, that we issued the token for this
 * session. The keys are in the keyring; rows contain only hashes.
 */
import { Buffer } from 'node:buffer'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '#dodeca/kernel'

const id_bytes = 16
const secret_bytes = 32
const tag_bytes = 8
const prefix = 'rt_'
const successor_use = 'identity.refresh'
const tag_use = 'identity.refresh_tag'

export type RefreshToken = {
  readonly text: string
  readonly session_id: string
  readonly secret: Buffer
  readonly tag: Buffer
}

type Keys = Pick<Keyring, 'kids' | 'macWith'>

export function firstToken(keys: Keys, session_id: string): RefreshToken {
  return tokenOf(keys, session_id, randomBytes(secret_bytes))
}

/** The successor under each readable key, the current one first. */
export function successors(
  keys: Keys,
  { session_id, secret: parent }: RefreshToken,
): RefreshToken[] {
  const about = Buffer.concat([Buffer.from(`rt1${session_id}`), parent])
  return keys.kids.flatMap(kid => {
    const secret = keys.macWith(kid, successor_use, about)
    return secret ? [tokenOf(keys, session_id, secret)] : []
  })
}

export function parseToken(text: string): RefreshToken | null {
  if (!/^rt_[A-Za-z0-9_-]{75}$/.test(text)) return null
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url')
  // Base64url can spell one value in several ways. Only the canonical spelling is accepted.
  if (`${prefix}${bytes.toString('base64url')}` !== text) return null
  const secret = bytes.subarray(id_bytes, id_bytes + secret_bytes)
  const session_id = idOf(bytes.subarray(0, id_bytes))
  return { text, session_id, secret, tag: bytes.subarray(id_bytes + secret_bytes) }
}

/** Whether the token was once issued for its session, also if the session has had many since. */
export function isGenuine(keys: Keys, { session_id, secret, tag: given }: RefreshToken): boolean {
  const verdicts = keys.kids.map(kid => {
    const tag = tagOf(keys, kid, session_id, secret)
    return tag !== null && timingSafeEqual(tag, given)
  })
  return verdicts.includes(true)
}

function tokenOf(keys: Keys, session_id: string, secret: Buffer): RefreshToken {
  const tag = tagOf(keys, keys.kids[0], session_id, secret)
  if (!tag) throw new Error('the current key is not in the ring')
  const bytes = Buffer.concat([Buffer.from(session_id.replaceAll('-', ''), 'hex'), secret, tag])
  return { text: prefix + bytes.toString('base64url'), session_id, secret, tag }
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}

function tagOf(keys: Keys, kid: string, session_id: string, secret: Buffer): Buffer | null {
  const about = Buffer.concat([Buffer.from(session_id), secret])
  return keys.macWith(kid, tag_use, about)?.subarray(0, tag_bytes) ?? null
}
