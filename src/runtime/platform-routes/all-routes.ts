/** All routes of a process: those of the platform itself and those of its surfaces. */
import { Type } from 'typebox'
import { sql, type Db, type Opened, type Route } from '#dodeca/kernel'
import { providerRoutes } from '../../kernel/http/providers.ts'
import type { Overload } from '../../kernel/observability/overload.ts'
import type { PlatformParts, Requests } from '../platform-parts.ts'
import { mcpRoutes } from '../mcp/routes.ts'
import { consoleRoutes } from '../console/routes.ts'
import { faultPoints } from '../dev/fault-points.ts'
import { devRoutes } from '../dev/routes.ts'
import { eventTypeRoutes, reservedNouns } from '../events/routes.ts'
import { processMeasures } from '../measure-process.ts'
import { auditRoutes } from './audit.ts'
import { catalogRoutes } from './catalog.ts'
import { documentRoute } from './document.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { matchRoutes } from './matches.ts'
import { requestRoutes } from './requests.ts'

/**
 * A process with the worker role only serves its health; all other routes belong to the api role.
 */
export function allRoutes(
  parts: PlatformParts,
  document: () => string,
  requests: Requests,
): Route[] {
  const { options, gathered, kernel, opened, events, overload } = parts
  const { config } = options
  const ofProcess = processMeasures(kernel.db, kernel.metrics.registry, parts.queues)
  const measure = async () => void (await Promise.all([ofProcess(), events.measure()]))
  options.member?.shareMetrics(kernel.metrics.registry, measure)
  const health = healthRoutes({
    profile: config.profile,
    metrics: kernel.metrics,
    metrics_key: kernel.settings['kernel.metrics_key'],
    measure,
    ready: () => readiness(kernel.db, opened, overload),
    member: options.member,
  })
  if (!config.roles.includes('api')) return health
  const development = devRoutes({
    db: kernel.db,
    clock: kernel.clock,
    faults: parts.faults,
    points: once(() => faultPoints(options.composition.surfaces)),
    declared: gathered.declared,
    config,
    wake: kernel.wake,
  })
  return [
    ...health,
    ...catalogRoutes({
      name: 'dodeca',
      version: options.version,
      public_url: config.public_url,
      limits: config.limits,
      catalog: gathered.catalog,
      cursors: kernel.cursors,
      routes: requests.routes,
    }),
    ...auditRoutes({ kernel }),
    ...requestRoutes({ kernel }),
    ...matchRoutes({ routes: requests.routes }),
    ...eventTypeRoutes({
      kernel,
      code: gathered.declared,
      nouns: reservedNouns(gathered.declared.keys()),
      publish: parts.publish,
    }),
    ...eventRoutes({ cursors: kernel.cursors, interests: events.interests, wake: kernel.wake }),
    ...mcpRoutes(parts, requests),
    documentRoute(document),
    ...consoleRoutes(document),
    ...providerRoutes({
      providers: opened.flatMap(one => one.providers ?? []),
      db: kernel.db,
      log: kernel.log,
      public_url: config.public_url,
    }),
    ...(config.profile === 'development' ? development : []),
    ...opened.flatMap(one => one.routes),
  ]
}

async function readiness(
  db: Db,
  opened: readonly Opened[],
  overload: Overload,
): Promise<Record<string, boolean>> {
  const asked = db.one(Type.Object({ ok: Type.Boolean() }), sql`select true as ok`)
  const database = within(
    asked.then(row => row.ok),
    false,
  )
  const others = opened.flatMap(one => Object.entries(one.ready ?? {}))
  // What a surface waits for may be down for all processes, so that alone does not stop requests.
  const answers = await Promise.all(
    others.map(async ([name, ask]) => [name, await within(ask(), true)] as const),
  )
  return {
    database: await database,
    ...Object.fromEntries(answers),
    accepting: !overload.draining(),
  }
}

async function within(asked: Promise<boolean>, late: boolean): Promise<boolean> {
  const patience = new Promise<boolean>(resolve => setTimeout(() => resolve(late), 1000).unref())
  return await Promise.race([asked.catch(() => late), patience])
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
