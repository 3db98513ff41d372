/** Routes about tenants. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function tenantRoutes(_deps: Deps): readonly Route[] {
  return []
}
