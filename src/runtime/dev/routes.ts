/**
 * The development helpers under `/dev`. They exist in the development profile only, and answer only
 * callers on this machine. They require no credential and are not in the published document.
 */
import type { Config } from '../config.ts'
import { openOutsideWorld, problem } from '#dodeca/kernel'
import type { Clock, Db, Kernel, RequestFacts, Route } from '#dodeca/kernel'
import type { Faults } from '../../kernel/faults.ts'
import { openDevRecords } from '../../kernel/outgoing/dev-records.ts'
import { clockRoutes } from './clock-routes.ts'
import { dnsRoutes } from './dns-routes.ts'
import { eventRoutes, type DeclaredEvents } from './event-routes.ts'
import { faultRoutes } from './fault-routes.ts'
import { inboxRoutes } from './inbox-routes.ts'
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
    ...dnsRoutes(openDevRecords(config.data_dir)),
    ...eventRoutes(deps),
    ...faultRoutes(deps.faults, deps.points),
  ]
  const listed = helpers.map(one => `${one.method} ${one.path}`)
  const where = whereRoute({ public_url: config.public_url, clock, outside }, listed)
  return [where, ...helpers].map(one => localOnly(one, config.public_url))
}

/**
 * A caller must connect from loopback and not through a proxy, and the host name of the request must
 * be a name of this machine. So a page of another site cannot use the helpers through a DNS name
 * with a loopback address. A page of another origin on this machine may call the API, but not the
 * helpers, which show mails with their links. Any other caller gets a 404.
 */
const loopback = /^(127(\.\d{1,3}){3}|::1)$/
const proxied = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const
const here = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i

function localOnly(route: Route, public_url: string): Route {
  const { handle } = route
  if (!handle) throw new Error(`${route.method} ${route.path} has no handler to guard`)
  const own = new URL(public_url).hostname
  return {
    ...route,
    handle: context => {
      if (!isLocal(context.request, own)) throw problem('not_found')
      return handle(context)
    },
  }
}

function isLocal({ ip, headers }: Pick<RequestFacts, 'ip' | 'headers'>, own: string): boolean {
  if (!loopback.test(ip) || proxied.some(name => headers[name] !== undefined)) return false
  const { host, origin } = headers
  if (typeof host !== 'string' || !URL.canParse(`http://${host}`)) return false
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return false
  const { hostname } = new URL(`http://${host}`)
  return here.test(hostname) || hostname === own
}
