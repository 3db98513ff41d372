/** Routes about passwords. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function passwordRoutes(_deps: Deps): readonly Route[] {
  return []
}
