/**
 * A browser sends its cookies with requests of any page. So an unsafe request with a cookie must
 * show that our own page sent it: by the fetch metadata (or, from old browsers, an allowed Origin),
 * and by a token that only a page which may read our replies can know.
 */
import { problem } from '../errors/problem.ts'
import type { Keyring } from '../keys.ts'

const use = 'kernel.csrf'

export type CsrfHeaders = {
  'sec-fetch-site'?: string | undefined
  origin?: string | undefined
  'x-csrf-token'?: string | undefined
}

export type Csrf = {
  tokenOf(session_id: string): string
  /** Throws `csrf_failed` unless our own page sent the unsafe request. */
  demand(headers: CsrfHeaders, session_id: string): void
  /**
   * For an answer that only our own page may read: throws `csrf_failed` where the browser says that another
   * site asks. Scripts of other origins cannot read it in any case (CORS).
   */
  demandOwnPage(headers: CsrfHeaders): void
}

export function openCsrf(
  keys: Pick<Keyring, 'mac' | 'macMatches'>,
  allowed_origins: readonly string[],
): Csrf {
  const asks = ({ 'sec-fetch-site': site, origin }: CsrfHeaders): boolean | undefined => {
    if (site !== undefined) return site === 'same-origin' || site === 'none'
    return origin === undefined ? undefined : allowed_origins.includes(origin)
  }
  return {
    tokenOf: session_id => keys.mac(use, Buffer.from(session_id)).toString('base64url'),
    demand: (headers, session_id) => {
      const own = asks(headers) === true
      const token = Buffer.from(headers['x-csrf-token'] ?? '', 'base64url')
      if (!own || !keys.macMatches(use, Buffer.from(session_id), token))
        throw problem('csrf_failed')
    },
    demandOwnPage: headers => {
      if (asks(headers) === false) throw problem('csrf_failed')
    },
  }
}
