/**
 * The development helpers under `/dev`. They exist in the development profile only, and answer only
 * callers on this machine. They require no credential and are not in the published document.
 */
import type { Config } from '../config.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Faults } from '../../kernel/faults.ts'
import type { Route } from '../../kernel/http/route.ts'
import { clockRoutes } from './clock-routes.ts'
import { eventRoutes, type DeclaredEvents } from './event-routes.ts'
import { faultRoutes } from './fault-routes.ts'
import { inboxRoutes } from './inbox-routes.ts'
import { localOnly } from './local-only.ts'
import { openOutsideWorld } from '../../kernel/outgoing/sandbox-control.ts'
import type { Kernel } from '../../kernel/surface.ts'
import { whereRoute } from './where.ts'

export type DevDeps = {
  readonly config: Pick<Config, 'public_url' | 'data_dir'>
  readonly db: Db
  readonly clock: Clock
  readonly faults: Faults
  readonly points: () => readonly string[]
  /** Every event that the platform declares. */
  readonly declared: DeclaredEvents
  /** Makes every process look for work again and read the clock again. */
  wake: Kernel['wake']
}

export function devRoutes(deps: DevDeps): Route[] {
  const { config, clock } = deps
  const outside = openOutsideWorld(config.data_dir)
  const helpers = [
    ...inboxRoutes(outside),
    ...clockRoutes(deps),
    ...eventRoutes(deps),
    ...faultRoutes(deps.faults, deps.points),
  ]
  const listed = helpers.map(one => `${one.method} ${one.path}`)
  const where = whereRoute({ public_url: config.public_url, clock, outside }, listed)
  return [where, ...helpers].map(one => localOnly(one, config.public_url))
}
