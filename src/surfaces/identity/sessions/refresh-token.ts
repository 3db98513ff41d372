/**
 * Refresh tokens: `rt_` + base64url(secret 32 bytes ‖ tag 8 bytes). The secret of a successor is
 * derived from that of its parent, so that a repeated refresh gets the same successor and a family
 * cannot fork. The tag proves, without a row, that we issued the token. The keys are in the
 * keyring; rows contain only hashes.
 */
import { Buffer } from 'node:buffer'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '#dodeca/kernel'

const secret_bytes = 32
const tag_bytes = 8
const prefix = 'rt_'
const successor_use = 'identity.refresh'
const tag_use = 'identity.refresh_tag'

export type RefreshToken = { readonly text: string; readonly secret: Buffer; readonly tag: Buffer }

type Keys = Pick<Keyring, 'kids' | 'macWith'>

export function firstToken(keys: Keys, session_id: string): RefreshToken {
  return tokenOf(keys, session_id, randomBytes(secret_bytes))
}

/** The successor under each readable key, the current one first. */
export function successors(keys: Keys, session_id: string, parent: RefreshToken): RefreshToken[] {
  const about = Buffer.concat([Buffer.from(`rt1${session_id}`), parent.secret])
  return keys.kids.flatMap(kid => {
    const secret = keys.macWith(kid, successor_use, about)
    return secret ? [tokenOf(keys, session_id, secret)] : []
  })
}

export function parseToken(text: string): RefreshToken | null {
  if (!/^rt_[A-Za-z0-9_-]{54}$/.test(text)) return null
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url')
  // Base64url can spell one value in several ways. Only the canonical spelling is accepted.
  if (`${prefix}${bytes.toString('base64url')}` !== text) return null
  return { text, secret: bytes.subarray(0, secret_bytes), tag: bytes.subarray(secret_bytes) }
}

/** Whether the token was once issued for this session, even if its row is deleted. */
export function isGenuine(keys: Keys, session_id: string, token: RefreshToken): boolean {
  const verdicts = keys.kids.map(kid => {
    const tag = tagOf(keys, kid, session_id, token.secret)
    return tag !== null && timingSafeEqual(tag, token.tag)
  })
  return verdicts.includes(true)
}

function tokenOf(keys: Keys, session_id: string, secret: Buffer): RefreshToken {
  const tag = tagOf(keys, keys.kids[0], session_id, secret)
  if (!tag) throw new Error('the current key is not in the ring')
  return { text: prefix + Buffer.concat([secret, tag]).toString('base64url'), secret, tag }
}

function tagOf(keys: Keys, kid: string, session_id: string, secret: Buffer): Buffer | null {
  const about = Buffer.concat([Buffer.from(session_id), secret])
  return keys.macWith(kid, tag_use, about)?.subarray(0, tag_bytes) ?? null
}
