/**
 * A browser sends its cookies with requests from any page. So an unsafe request with a cookie must
 * show that our own page sent it. The request shows this by the fetch metadata (or an allowed
 * Origin, for old browsers) and by a token. Only a page that may read our replies can know that
 * token.
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
   * Checks a request whose reply only our own page may read. Throws `csrf_failed` if the browser
   * reports that another site sent the request. Scripts of other origins cannot read the reply in
   * any case (CORS).
   */
  demandOwnPage(headers: CsrfHeaders): void
}

export function openCsrf(
  keys: Pick<Keyring, 'mac' | 'macMatches'>,
  allowed_origins: readonly string[],
): Csrf {
  const asks = ({ 'sec-fetch-site': site, origin }: CsrfHeaders): boolean | undefined => {
    if (site === 'same-origin' || site === 'none') return true
    if (site !== undefined && origin === undefined) return false
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
