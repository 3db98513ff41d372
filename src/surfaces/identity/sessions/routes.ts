/** Routes about sessions. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function sessionRoutes(_deps: Deps): readonly Route[] {
  return []
}
