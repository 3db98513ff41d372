/** Routes about mfa. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function mfaRoutes(_deps: Deps): readonly Route[] {
  return []
}
