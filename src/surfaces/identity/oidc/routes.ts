/** Routes about oidc. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function oidcRoutes(_deps: Deps): readonly Route[] {
  return []
}
