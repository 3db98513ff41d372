/** Signing keys and their public list. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'

export function keyRoutes(_deps: Deps): readonly Route[] {
  return []
}
