/** The routes of notes. */
import type { Route } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { noteRoutes } from './notes/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return noteRoutes(deps)
}
