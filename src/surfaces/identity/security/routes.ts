/** Routes about security events. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function securityRoutes(_deps: Deps): readonly Route[] {
  return []
}
