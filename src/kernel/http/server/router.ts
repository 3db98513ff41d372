/**
 * Finds what serves a request: a route, or a page for people. A known path with another method is
 * 405 with Allow. Only an unknown path is 404.
 */
import type { IncomingHttpHeaders } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { nearest } from '../../errors/did-you-mean.ts'
import { problem, Problem } from '../../errors/problem.ts'
import type { CompiledRoute } from './compile-route.ts'
import type { Rendered } from '../contract/reply.ts'
import { onlyReads, type Route } from '../contract/route.ts'

/** The parameters of a path, and a query as the client sent it. A repeated name has a list. */
export type Params = Record<string, string>
export type RawQuery = Record<string, string | string[]>

/** A page for people. It is public, has no rate, and is not in the published document. */
export type WebPage = {
  /** `:name` is a segment, and `*` at the end is the rest of the path. */
  readonly path: string
  read(asked: Asked): Promise<Rendered>
}

type Asked = {
  readonly params: Params
  readonly query: RawQuery
  readonly headers: IncomingHttpHeaders
}

type Target = {
  readonly compiled: CompiledRoute | null
  readonly page: WebPage | null
}

export type Found = Target & { readonly params: Params; readonly query: RawQuery }

export type Router = {
  /** Null if no route has this path and method. A malformed URL is refused. */
  find(method: string, url: string): Found | Problem | null
  /** The methods of a path, or the refusal if no route has it. */
  methodsOf(path: string): string | Problem
}

const options = {
  maxParamLength: 512,
  // The router calls neither. It marks such a URL with a target of `null`.
  onBadUrl: () => {},
  onMaxParamLength: () => {},
}
const malformed = problem('malformed_request', { detail: 'The URL is malformed.' })

export function openRouter(routes: readonly CompiledRoute[], pages: readonly WebPage[]): Router {
  const router = findMyWay(options)
  const mount = (methods: HTTPMethod[], path: string, target: Target) =>
    router.on(methods, path, () => {}, target)
  for (const compiled of routes) {
    const { route } = compiled
    const methods: HTTPMethod[] = onlyReads(route) ? ['GET', 'HEAD'] : [route.method]
    mount(methods, routerPath(route.path), { compiled, page: null })
  }
  for (const page of pages) mount(['GET', 'HEAD'], page.path, { compiled: null, page })
  const find: Router['find'] = (method, url) => {
    const found = router.find(method as HTTPMethod, url)
    if (!found) return null
    const target = found.store as Target | null
    if (!target) return malformed
    const { compiled, page } = target
    return {
      compiled,
      page,
      params: found.params as Params,
      query: found.searchParams,
    }
  }
  return { find, methodsOf: methodsOf(routes, find) }
}

/** Turns `/v1/jobs/{job_id}` and `/v1/inferences:stream` into the syntax of the router. */
function routerPath(path: string): string {
  return path.replaceAll(':', '::').replaceAll(/\{([a-z_]+)\}/g, ':$1')
}

/** `/v1/links/batches` is also a path of `/v1/links/{code}`, so Allow lists the methods of both. */
function methodsOf(routes: readonly CompiledRoute[], find: Router['find']): Router['methodsOf'] {
  const methods = [...new Set(['HEAD', ...routes.map(({ route }) => route.method)])]
  const near = openNearPaths(routes.map(({ route }) => route))
  return path => {
    const allowed = ['OPTIONS']
    for (const method of methods) {
      const found = find(method, path)
      if (found instanceof Problem) return found
      if (found?.compiled) allowed.push(method)
    }
    if (allowed.length > 1) return allowed.sort().join(', ')
    const detail = `No operation has this path.${near(path)} All paths are in /openapi.json.`
    return problem('not_found', { detail })
  }
}

const api_prefix = '/v1/'

/** The hint in the reply to an unknown path: the path of a route that was probably meant. */
function openNearPaths(routes: readonly Route[]): (path: string) => string {
  const paths = [...new Set(routes.filter(({ hidden }) => !hidden).map(({ path }) => path))]
  return path => {
    const given = path.split('/')
    // Any text matches a parameter exactly.
    const alike = paths
      .filter(pattern => Math.abs(pattern.split('/').length - given.length) <= 1)
      .map(pattern => ({ pattern, filled: filled(pattern, given) }))
    const asked = path.slice(0, 200)
    // What all paths begin with says nothing about which one was meant.
    const after = asked.startsWith(api_prefix) ? api_prefix.length : 0
    const word = nearest(
      asked.slice(after),
      alike.map(one => one.filled.slice(after)),
    )
    const meant = alike.find(one => one.filled.slice(after) === word)?.pattern
    return meant === undefined ? '' : ` Did you mean ${meant}?`
  }
}

function filled(pattern: string, given: readonly string[]): string {
  return pattern
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (given[at] ?? part) : part))
    .join('/')
}
