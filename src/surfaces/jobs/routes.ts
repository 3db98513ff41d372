/** All routes of jobs: each folder declares its own. */
import type { Route } from '../../kernel/http/route.ts'
import type { Deps } from './deps.ts'
import { resultRoutes } from './results/routes.ts'
import { scheduleRoutes } from './schedules/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { submitRoutes } from './jobs/submit-routes.ts'
import { typeRoutes } from './types/routes.ts'
import type { JobWatcher } from './streams/job-watcher.ts'
import { watchRoutes } from './streams/routes.ts'
import { workerRoutes } from './workers/routes.ts'

export function routes(deps: Deps, watcher: JobWatcher): readonly Route[] {
  return [
    ...submitRoutes(deps),
    ...jobRoutes(deps),
    ...typeRoutes(deps),
    ...watchRoutes(deps, watcher),
    ...resultRoutes(deps),
    ...scheduleRoutes(deps),
    ...workerRoutes(deps),
  ]
}
