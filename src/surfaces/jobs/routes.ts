/** All routes of jobs: each folder declares its own. */
import type { Route } from '../../kernel/http/route.ts'
import type { Deps } from './deps.ts'
import { resultRoutes } from './results/routes.ts'
import { scheduleRoutes } from './schedules/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { submitRoutes } from './jobs/submit-routes.ts'
import { typeRoutes } from './types/routes.ts'
import type { Lookout } from './streams/poll-changes.ts'
import { watchRoutes } from './streams/routes.ts'
import { workerRoutes } from './workers/routes.ts'

export function routes(deps: Deps, lookout: Lookout): readonly Route[] {
  return [
    ...submitRoutes(deps),
    ...jobRoutes(deps),
    ...typeRoutes(deps),
    ...watchRoutes(deps, lookout),
    ...resultRoutes(deps),
    ...scheduleRoutes(deps),
    ...workerRoutes(deps),
  ]
}
