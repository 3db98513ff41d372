/** Administration of accounts, invitations. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function accountAdminRoutes(_deps: Deps): readonly Route[] {
  return []
}
