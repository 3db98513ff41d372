/** The parts of social, opened once and connected here. */
import type { Surface } from '#dodeca/kernel'
import { checks } from './checks.ts'
import { consumers } from './consumers.ts'
import { auditLoop, counterProjection } from './counters/audit.ts'
import { foldLoop } from './counters/fold.ts'
import { fanout_activity, type Deps, type Needs } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Inside } from './face.ts'
import { backfillQueue } from './feeds/backfill.ts'
import { fanoutQueue } from './feeds/fan-out.ts'
import { feedProjection, rebuildQueue } from './feeds/rebuild.ts'
import { sweepLoop } from './feeds/sweep.ts'
import { openingsQueue } from './graph/requests.ts'
import { openFace } from './open-face.ts'
import { permissions } from './permissions.ts'
import { personalSocial } from './personal.ts'
import { plugMedia } from './posts/media.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

export const social: Surface<Inside, Needs, typeof settings> = {
  name: 'social',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  permissions,
  errors,
  events,
  reference,
  needs: { people: 'identity', jobs: 'jobs', files: 'uploads', messages: 'notifications' },
  open: (kernel, needs) => {
    const deps: Deps = { ...needs, kernel }
    plugMedia(deps)
    needs.jobs.activities([fanout_activity])
    return {
      face: openFace(),
      routes: routes(deps),
      queues: [fanoutQueue(deps), backfillQueue(deps), rebuildQueue(deps), openingsQueue()],
      consumers: consumers(deps),
      loops: [foldLoop(deps), auditLoop(deps), sweepLoop(deps)],
      projections: [feedProjection(deps), counterProjection(deps)],
      checks: checks(deps),
      personal: personalSocial(deps),
      seed: tenants => seed(deps, tenants),
    }
  },
}
