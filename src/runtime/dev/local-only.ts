/**
 * The development helpers serve this machine only. A caller must connect from loopback and not
 * through a proxy, and the host name of the request must be a name of this machine. So a page of
 * another site cannot use the helpers through a DNS name with a loopback address. A page of another
 * origin on this machine may call the API, but not the helpers, which show mails with their links.
 * Any other caller gets a 404.
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
  const { host, origin } = headers
  if (typeof host !== 'string' || !URL.canParse(`http://${host}`)) return false
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return false
  const { hostname } = new URL(`http://${host}`)
  return here.test(hostname) || hostname === own
}
