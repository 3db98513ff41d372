/**
 * What requests share, over HTTP and from inside: the routes of this process, compiled once, and what
 * their steps need. All of it is made when it is needed: commands open a platform too, and few of
 * them read its routes.
 */
import type { Opened, Route } from '#dodeca/kernel'
import { openRateLimiter } from '../kernel/access/rate.ts'
import { compileRoute, type CompiledRoute } from '../kernel/http/server/compile-route.ts'
import { checkTools, operationsOf } from '../kernel/http/tools/operations.ts'
import { openPerform } from '../kernel/http/tools/perform.ts'
import { openKeyed } from '../kernel/idempotency/keyed.ts'
import type { Composition, PlatformParts, Requests } from './platform-parts.ts'
import { checkRoutes } from './gather-declarations.ts'
import { lazily } from './lazily.ts'
import { allRoutes } from './platform-routes/all-routes.ts'

export function openRequests(
  parts: () => PlatformParts,
  document: () => string,
  stopping: AbortSignal,
): Requests {
  const routes: Requests['routes'] = lazily(() => {
    const all = allRoutes(parts(), document, requests)
    checkRoutes(all, parts().gathered)
    checkTools(all)
    return all
  })
  // A process without the api role serves no operation, but its jobs may perform one.
  const known = lazily(() => [
    ...new Set([...routes(), ...parts().opened.flatMap(one => one.routes)]),
  ])
  const compiled = lazily(() => compiledRoutes(parts(), known()))
  const deps = lazily(() => depsOf(parts(), stopping))
  const served = lazily(() => new Set(routes()))
  const operations = lazily(() =>
    operationsOf(compiled(), surfaceOf(parts().options.composition, parts().named)),
  )
  const requests: Requests = {
    routes,
    compiled: lazily(() => compiled().filter(({ declared }) => served().has(declared))),
    deps,
    operations,
    performer: lazily(() => openPerform(deps(), operations())),
    metadataOf: resource => {
      const path = `/.well-known/oauth-protected-resource${resource}`
      const is_there = routes().some(one => one.path === path)
      return is_there ? parts().options.config.public_url + path : null
    },
  }
  return requests
}

/** Routes of the platform itself have no surface. */
function surfaceOf(
  { surfaces }: Pick<Composition, 'surfaces'>,
  opened: Readonly<Record<string, Opened>>,
): ReadonlyMap<Route, string> {
  return new Map(
    surfaces.flatMap(({ name }) => (opened[name]?.routes ?? []).map(one => [one, name] as const)),
  )
}

function compiledRoutes(
  { options: { config, composition }, gathered, named }: PlatformParts,
  routes: readonly Route[],
): readonly CompiledRoute[] {
  const open = composition.surfaces.filter(one => !one.closed_to_scopes)
  const options = {
    strict: config.profile === 'development',
    catalog: gathered.catalog,
    body_limit_bytes: config.settings['kernel.body_limit_bytes'],
    surface_of: surfaceOf({ surfaces: open }, named),
  }
  return routes.map(route => compileRoute(route, options))
}

function depsOf(parts: PlatformParts, stopping: AbortSignal): ReturnType<Requests['deps']> {
  const { options, gathered, kernel, access, tenants, deprecatedCalls, requestLog } = parts
  const { config, log } = options
  const { settings } = config
  return {
    db: kernel.db,
    access,
    cursors: kernel.cursors,
    permissions: gathered.permissions,
    metrics: kernel.metrics,
    log,
    strict: config.profile === 'development',
    fault: kernel.fault,
    keyed: openKeyed({
      db: kernel.db,
      metrics: kernel.metrics,
      fault: kernel.fault,
      wait_ms: settings['kernel.idempotency_wait_ms'],
    }),
    rates: openRateLimiter(settings, kind => kernel.metrics.rateLimited.inc({ class: kind })),
    stopping,
    tenants,
    deprecatedCalls,
    requestLog,
    public_url: config.public_url,
    retention_hours: settings['kernel.idempotency_retention_hours'],
    keys: kernel.keys,
    slow_request_ms: settings['kernel.slow_request_ms'],
  }
}
