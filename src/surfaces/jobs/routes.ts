/** All routes of jobs: each folder declares its own. */
import { openStreamPlaces, type Route } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { resultRoutes } from './results/routes.ts'
import { scheduleRoutes } from './schedules/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { submitRoutes } from './jobs/submit-routes.ts'
import { stepRoutes } from './steps/routes.ts'
import { typeRoutes } from './types/routes.ts'
import type { JobWatcher } from './streams/job-watcher.ts'
import { watchRoutes } from './streams/routes.ts'
import { openReportPace } from './workers/report-pace.ts'
import { workerRoutes } from './workers/routes.ts'

export function routes(deps: Deps, watcher: JobWatcher): readonly Route[] {
  const most = deps.kernel.settings['jobs.watch_max_per_principal']
  return [
    ...submitRoutes(deps),
    ...jobRoutes(deps),
    ...typeRoutes(deps),
    ...watchRoutes({ ...deps, watcher, places: openStreamPlaces(most) }),
    ...stepRoutes(deps),
    ...resultRoutes(deps),
    ...scheduleRoutes(deps),
    ...workerRoutes({ ...deps, pace: openReportPace() }),
  ]
}
