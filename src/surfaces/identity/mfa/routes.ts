/** Routes about second factors: one's own, and the challenges that ask for them. */
import type { Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { challengeRoutes } from './challenges/routes.ts'
import { methodRoutes } from './methods/routes.ts'

export function mfaRoutes(deps: Deps): readonly Route[] {
  return [...challengeRoutes(deps), ...methodRoutes(deps)]
}
