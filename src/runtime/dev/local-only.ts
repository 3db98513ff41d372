/**
 * The development helpers serve this machine only. The peer must be loopback, there must be no
 * proxy, and the request's host must be this machine. So a foreign page cannot reach them by a name
 * that points here. Any other caller gets a 404.
 */
import { problem } from '../../kernel/errors/problem.ts'
import type { RequestFacts, Route } from '../../kernel/http/route.ts'

const loopback = /^(127(\.\d{1,3}){3}|::1)$/
const proxied = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const
const here = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i

export function localOnly(route: Route, public_url: string): Route {
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
  const { host } = headers
  if (typeof host !== 'string' || !URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  return here.test(hostname) || hostname === own
}
