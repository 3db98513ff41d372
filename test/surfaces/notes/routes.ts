/** The routes of notes. */
import type { Route } from '../../../src/kernel/http/route.ts'
import type { Deps } from './deps.ts'
import { noteRoutes } from './notes/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return noteRoutes(deps)
}
