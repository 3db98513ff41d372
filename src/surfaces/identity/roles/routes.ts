/** Routes about roles. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function roleRoutes(_deps: Deps): readonly Route[] {
  return []
}
