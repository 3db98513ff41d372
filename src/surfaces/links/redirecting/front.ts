/**
 * The interceptor that handles requests for codes. It uses the cache if possible, otherwise the
 * full check. On the platform's own hosts all other requests are passed to the pipeline. A custom
 * host serves only links. A name that has no active domain serves nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId, sendRefusal, type Front, type Handler } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { absentAnswer, type Answer } from './answer.ts'
import type { Asking } from './asking.ts'
import type { FastAnswers, Place } from './fast-answers.ts'
import { followLink, type Following } from './follow-link.ts'
import type { Host } from '../cache/hosts.ts'
import type { RedirectNode } from '../cache/node.ts'

export type FrontDeps = Following &
  Pick<RedirectNode, 'hosts' | 'recorder'> & {
    readonly asking: Asking
    readonly fast: FastAnswers
  }

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly pass: Handler
}

export function openFront(deps: FrontDeps): Front {
  const { hosts, asking, lease } = deps
  return (request, response, pass) => {
    const seen = asking.read(request)
    // If there are two such headers, a proxy and this server could interpret the request
    // differently.
    if (seen.hosts > 1) return refuse(deps, { request, response }, problem('malformed_request'))
    const header = asking.host(request)
    const host = hosts.get(header)
    if (host === null) return pass(request, response)
    const exchange = { request, response, pass }
    if (host && host !== 'unknown' && !host.custom) return onPlatform(deps, exchange, host)
    if (host === undefined || !lease.holds(performance.now())) {
      return void lookUp(deps, exchange, header)
    }
    if (host === 'unknown') return absent(deps, exchange, 'domain_not_found')
    onCustom(deps, exchange, host)
  }
}

function onPlatform(deps: FrontDeps, exchange: Exchange, host: Host): void {
  const { request, response, pass } = exchange
  const place = placeOf(request, host)
  if (!isOneSegment(place.path) || !isRead(request)) return pass(request, response)
  if (deps.fast.answer(request, response, place)) return
  if (deps.isReserved(place.path.slice(1))) return pass(request, response)
  follow(deps, exchange, place)
}

function onCustom(deps: FrontDeps, exchange: Exchange, host: Host): void {
  const { request, response } = exchange
  const place = placeOf(request, host)
  const { path } = place
  if (path === '/' && isRead(request)) return root(deps, exchange, host)
  if (path === '/robots.txt' && isRead(request)) {
    const headers = [...deps.common, ...robots.headers]
    return send(request, response, { ...robots, headers })
  }
  if (!isOneSegment(path)) return absent(deps, exchange)
  if (!isRead(request)) return refuse(deps, exchange, problem('method_not_allowed', only_read))
  if (!deps.fast.answer(request, response, place)) follow(deps, exchange, place)
}

async function lookUp(deps: FrontDeps, exchange: Exchange, header: string): Promise<void> {
  let host: Host | null
  try {
    await deps.lease.ensure()
    host = await deps.hosts.find(header)
  } catch (error) {
    return refuse(deps, exchange, error)
  }
  // Other requests have used the shared object meanwhile, so this request is read again.
  deps.asking.read(exchange.request)
  if (!host) return absent(deps, exchange, 'domain_not_found')
  onCustom(deps, exchange, host)
}

function follow(deps: FrontDeps, { request, response }: Exchange, place: Place): void {
  const { asking, kernel, recorder } = deps
  const began_ms = performance.now()
  const visitor = asking.visitor(request, place.query)
  const question = {
    host: place.host,
    segment: decoded(place.path.slice(1)),
    query: place.query,
    accept: asking.seen.accept,
    address: visitor.address,
  }
  deps.lease.following++
  const following = followLink(deps, question).then(
    ({ answer, clicked }) => {
      send(request, response, answer)
      if (clicked) recorder.record(clicked, visitor, kernel.clock.nowMs())
      observe(deps, request, answer.status, began_ms)
    },
    (error: unknown) => {
      refuse(deps, { request, response }, error)
      observe(deps, request, response.statusCode, began_ms)
    },
  )
  void following.finally(() => deps.lease.following--)
}

function root(deps: FrontDeps, exchange: Exchange, { custom }: Host): void {
  if (!custom?.root_url) return absent(deps, exchange)
  const headers = [...deps.common, 'location', custom.root_url, ...unkept]
  send(exchange.request, exchange.response, { status: 302, headers, body: null })
}

function absent(
  deps: FrontDeps,
  { request, response }: Exchange,
  code: 'link_not_found' | 'domain_not_found' = 'link_not_found',
): void {
  try {
    send(request, response, absentAnswer(code, deps.asking.seen.accept))
  } catch (error) {
    refuse(deps, { request, response }, error)
  }
}

const only_read = { headers: { allow: 'GET, HEAD' } }

const unkept = [
  'cache-control',
  'private, no-store, max-age=0',
  'x-robots-tag',
  'noindex',
  'content-length',
  '0',
]

const robots: Answer = {
  status: 200,
  // All paths are allowed, because a crawler must request a redirect to see its `noindex`.
  body: 'User-agent: *\nDisallow:\n',
  headers: ['content-type', 'text/plain; charset=utf-8', 'cache-control', 'public, max-age=3600'],
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = answer
  const length = body === null ? [] : ['content-length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...headers, ...length, 'x-request-id', newId()])
  if (body === null || request.method === 'HEAD') response.end()
  else response.end(body)
}

function refuse(
  { kernel }: FrontDeps,
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  error: unknown,
): void {
  sendRefusal(kernel, request, response, error)
}

function observe(
  { kernel }: FrontDeps,
  { method = 'GET' }: IncomingMessage,
  status: number,
  began_ms: number,
): void {
  const seconds = (performance.now() - began_ms) / 1000
  kernel.metrics.requests.observe({ method, route: '/{code}', status }, seconds)
}

function placeOf({ url = '' }: IncomingMessage, host: Host): Place {
  const end = url.indexOf('?')
  if (end === -1) return { host, path: url, query: '' }
  return { host, path: url.slice(0, end), query: url.slice(end + 1) }
}

function isOneSegment(path: string): boolean {
  return path.length > 1 && path.length < 600 && path.startsWith('/') && !path.includes('/', 1)
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Decodes the path once. A path that cannot be decoded is not a code. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
