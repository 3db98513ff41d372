/**
 * A token that is got with an API key and sent instead of it, so that a program need not give the key
 * to each of its parts: `ac_<id>_<end>_<MAC>`. It has what the key has and ends with it, because the
 * key is read at each request.
 */
import type { Keyring } from '#dodeca/kernel'

const form =
  /^ac_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([0-9a-z]{1,9})_([\w-]{43})$/
const use = 'identity.key_token'

type KeyToken = { readonly id: string; readonly expires_at: number }

export function newKeyToken(keys: Pick<Keyring, 'mac'>, { id, expires_at }: KeyToken): string {
  const mac = keys.mac(use, signedPart({ id, expires_at })).toString('base64url')
  return `ac_${id.replaceAll('-', '')}_${expires_at.toString(36)}_${mac}`
}

/** Null for a token that this platform did not make. */
export function readKeyToken(keys: Pick<Keyring, 'macMatches'>, token: string): KeyToken | null {
  const match = form.exec(token)
  if (!match) return null
  const found = {
    id: match.slice(1, 6).join('-'),
    expires_at: Number.parseInt(match[6] ?? '', 36),
  }
  const mac = Buffer.from(match[7] ?? '', 'base64url')
  return keys.macMatches(use, signedPart(found), mac) ? found : null
}

function signedPart({ id, expires_at }: KeyToken): Buffer {
  return Buffer.from(`${id} ${expires_at}`)
}
