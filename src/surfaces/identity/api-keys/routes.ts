/** Routes about api-keys. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function apiKeyRoutes(_deps: Deps): readonly Route[] {
  return []
}
