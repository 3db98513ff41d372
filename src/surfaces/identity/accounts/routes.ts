/** Routes about accounts. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function accountRoutes(_deps: Deps): readonly Route[] {
  return []
}
