/** The link shortener as the kernel sees it: its parts are opened once and wired together here. */
import type { Surface } from '../../kernel/surface.ts'
import { checks } from './checks.ts'
import { openStatistics } from './statistics/open.ts'
import type { Jobs } from './deps.ts'
import { ownerMailConsumer, type Owners } from './domains/tell-owner.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { loops } from './loops.ts'
import { openDeps } from './open-deps.ts'
import { applyBlocklist } from './moderation/apply-blocklist.ts'
import { permissions } from './permissions.ts'
import { openRedirecting } from './redirecting/open.ts'
import { routes } from './routes.ts'
import { seed, type People } from './seed.ts'
import { settingFaults, settings } from './settings.ts'

export type Needs = {
  /** Where long work goes; without it the routes that begin such work are not there. */
  readonly jobs: Jobs
  readonly people: People
  /** Where owners are told that their host is suspended. */
  readonly owners: Owners
}

export const links: Surface<Face, Needs, typeof settings> = {
  name: 'links',
  settings,
  settingFaults,
  migrations: new URL('./migrations/', import.meta.url),
  permissions,
  errors,
  events,
  open: (kernel, { jobs, people, owners }) => {
    const deps = openDeps(kernel, jobs)
    const redirecting = openRedirecting(deps)
    const clicks = openStatistics(deps)
    return {
      face: {},
      routes: [...routes(deps), ...clicks.routes, ...redirecting.routes],
      front: redirecting.front,
      consumers: [...redirecting.consumers, ownerMailConsumer(kernel, owners)],
      loops: [...loops(deps), ...redirecting.loops, ...clicks.loops],
      checks: [...checks(deps), ...clicks.checks],
      jobTypes: [applyBlocklist(deps), ...clicks.jobTypes],
      projections: clicks.projections,
      seed: () => seed(deps, people),
      close: async () => {
        await deps.node.close()
        await deps.reputation?.close()
      },
    }
  },
}
