/** All routes of jobs: each folder declares its own. */
import type { Route } from '../../kernel/http/route.ts'
import type { Deps } from './deps.ts'
import { seeingRoutes } from './seeing/routes.ts'
import { steeringRoutes } from './steering/routes.ts'
import { submittingRoutes } from './submitting/routes.ts'
import { typeRoutes } from './types/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return [
    ...submittingRoutes(deps),
    ...seeingRoutes(deps),
    ...steeringRoutes(deps),
    ...typeRoutes(deps),
  ]
}
