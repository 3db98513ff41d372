/**
 * Creates the parts that process stored clicks: sums, days, routes, rebuilding, checks.
 */
import { sql } from '#dodeca/kernel'
import type { Check, JobType, Loop, Projection, Route } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { addUp } from './add-up.ts'
import { keepDays } from '../clicks/days.ts'
import { driftCheck, reportDrift } from './drift.ts'
import { openPace } from '../clicks/pace.ts'
import { rebuildJob, statsProjection } from './rebuild-job.ts'
import { statisticsRoutes } from './routes.ts'

export type Statistics = {
  readonly routes: readonly Route[]
  readonly loops: readonly Loop[]
  readonly jobTypes: readonly JobType[]
  readonly projections: readonly Projection[]
  readonly checks: readonly Check[]
}

export function openStatistics(deps: Deps): Statistics {
  const { kernel } = deps
  const pace = openPace()
  return {
    routes: statisticsRoutes(deps),
    loops: [
      {
        name: 'links.clicks',
        every_ms: 60_000,
        due: sql`select exists (select from links.click_batches)`,
        run: async signal => {
          await addUp(kernel, signal, pace)
        },
      },
      { name: 'links.click_days', every_ms: 3_600_000, run: () => keepDays(kernel) },
      { name: 'links.click_drift', every_ms: 86_400_000, run: () => reportDrift(kernel) },
    ],
    jobTypes: [rebuildJob(kernel)],
    projections: [statsProjection(kernel)],
    checks: [driftCheck(kernel)],
  }
}
