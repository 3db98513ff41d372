/**
 * Checks the options of a link. Browsers cache a permanent redirect. So a permanent redirect is
 * refused while the reply may have to change, because clicks are counted against a limit or the
 * destination is still being checked.
 */
import { problem } from '../errors.ts'
import type { Policy } from '../schemas.ts'

export const usual_policy: Policy = {
  redirect_status: 302,
  scan: 'warn',
  query: 'ignore',
  cache_seconds: 0,
  edge_cache_seconds: 0,
}

export function demandSafeStatus(
  { redirect_status, scan }: Policy,
  link: { readonly max_clicks: number | null; readonly pending: boolean },
  pointer: string,
): void {
  const permanent = redirect_status === 301 || redirect_status === 308
  const judged = link.pending && scan !== 'block'
  if (!permanent || (link.max_clicks === null && !judged)) return
  throw problem('redirect_status_unsafe', {
    detail:
      link.max_clicks === null
        ? 'The destination has yet to be looked at: take 302 or 307, or the scan policy block.'
        : 'Browsers keep a permanent redirect and follow it uncounted: take 302 or 307.',
    errors: [{ location: 'body', pointer, constraint: 'permanent' }],
  })
}
