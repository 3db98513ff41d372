/**
 * Signed URLs: the holder may do one thing (a method on a path) within exact limits until the URL
 * expires. The signer fixes the limits, such as object key, size and checksum. The limits are
 * signed but need not be part of the URL. The signature is checked before the expiry, so a URL with
 * a forged expiry is `invalid`. The state of the object is not part of the signature. So the caller
 * must check the state when the URL is used.
 */
import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../keys.ts'

export type SignedLimits = Readonly<Record<string, string | number | null>>

export type SignedGrant = {
  readonly method: string
  /** The path alone, without host and query. */
  readonly path: string
  readonly limits: SignedLimits
}

export type SignedUrlVerdict = 'ok' | 'signed_url_expired' | 'signed_url_invalid'

export type SignedUrls = {
  /**
   * Returns the path with `exp`, `kid` and `sig`. The URL is valid until just before
   * `expires_at_seconds`.
   */
  sign(grant: SignedGrant, expires_at_seconds: number): string
  verify(
    grant: SignedGrant,
    query: Readonly<Record<string, unknown>>,
    now_seconds: number,
  ): SignedUrlVerdict
}

const use = 'kernel.signed_urls'
const version = 1

export function openSignedUrls(keys: Pick<Keyring, 'kids' | 'macWith'>): SignedUrls {
  return {
    sign: (grant, expires_at_seconds) => {
      const [kid] = keys.kids
      const exp = String(expires_at_seconds)
      const mac = Number.isSafeInteger(expires_at_seconds)
        ? keys.macWith(kid, use, contentOf(grant, exp, kid))
        : null
      if (!mac) throw new Error('a signed URL needs a whole number of seconds for its expiry')
      const query = new URLSearchParams({ exp, kid, sig: mac.toString('base64url') })
      return `${grant.path}?${query}`
    },
    verify: (grant, { exp, kid, sig }, now_seconds) => {
      if (typeof exp !== 'string' || typeof kid !== 'string' || typeof sig !== 'string') {
        return 'signed_url_invalid'
      }
      const given = Buffer.from(sig, 'base64url')
      const mac = keys.macWith(kid, use, contentOf(grant, exp, kid))
      const genuine =
        mac !== null &&
        given.length === mac.length &&
        // Base64url can spell one value in several ways; only the canonical one is accepted.
        given.toString('base64url') === sig &&
        timingSafeEqual(given, mac)
      if (!genuine) return 'signed_url_invalid'
      return now_seconds < Number(exp) ? 'ok' : 'signed_url_expired'
    },
  }
}

/** A URL for GET is valid for HEAD too. */
function contentOf({ method, path, limits }: SignedGrant, exp: string, kid: string): Buffer {
  const verb = method === 'HEAD' ? 'GET' : method
  const sorted = Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.from(JSON.stringify([version, kid, exp, verb, path, sorted]))
}
