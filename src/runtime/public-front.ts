/**
 * Answers requests for the files of a front end, before the links of the platform and its routes. It
 * passes on every path without a file, so an unknown path stays a 404.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import {
  after,
  isNotModified,
  newId,
  problem,
  rangeOf,
  sendRefusal,
  StartError,
  type Front,
  type Kernel,
} from '#dodeca/kernel'
import { securityHeaders } from '../kernel/http/server/send-reply.ts'
import type { Config } from './config.ts'
import type { PublicFile, PublicFiles } from './public-files.ts'

type Given = {
  readonly config: Config
  readonly kernel: Kernel
  /** The paths of all routes and pages. */
  readonly served: readonly string[]
  readonly ofSurfaces: readonly Front[]
}

/** First segments of paths that are the platform's, also where a profile or a surface is off. */
const always_ours = `.well-known account client console dev docs healthz livez metrics oauth
  openapi.json problems readyz v1 v2`.split(/\s+/)

/** Paths for which an application may have a file of its own. */
const replaceable = new Set(['', 'favicon.ico', 'llms.txt'])

export function publicFront(files: PublicFiles, given: Given): Front {
  const { config, kernel } = given
  const ours = ownSegments(given.served)
  refuseOurs(files, ours)
  const isHere = hostsOf(given)
  const common = headersOf(config, files)
  return (request, response, pass) => {
    const path = pathOf(request)
    if (path === null || ours.has(path.split('/', 2)[1] ?? '') || !isHere(request)) {
      return pass(request, response)
    }
    const began_ms = performance.now()
    const failed = (error: unknown) => {
      sendRefusal({ public_url: config.public_url, log: kernel.log }, request, response, error)
    }
    const found = after(files.find(path), file => {
      if (!file) return pass(request, response)
      if (request.method === 'GET' || request.method === 'HEAD') {
        send(request, response, file, common)
      } else failed(problem('method_not_allowed', { headers: { allow: 'GET, HEAD' } }))
      const { method = '' } = request
      const labels = { method, route: 'public', status: response.statusCode }
      kernel.metrics.requests.observe(labels, (performance.now() - began_ms) / 1000)
    })
    if (found instanceof Promise) found.catch(failed)
  }
}

function ownSegments(served: readonly string[]): ReadonlySet<string> {
  const first = served.map(path => path.split('/')[1] ?? '')
  const words = first.filter(one => !/^[{:*]/.test(one) && !replaceable.has(one))
  return new Set([...always_ours, ...words])
}

function refuseOurs({ dir, paths }: PublicFiles, ours: ReadonlySet<string>): void {
  const taken = paths.find(path => ours.has(path.split('/', 2)[1] ?? ''))
  if (taken === undefined) return
  throw new StartError(
    `The file ${dir}${taken} would have a path of the platform. Give it another name: \`public\` cannot have ${[...ours].sort().join(', ')}.`,
  )
}

/**
 * Other hosts are domains of short links, which belong to tenants. If no surface answers for such
 * hosts, there are none.
 */
function hostsOf({ config, ofSurfaces }: Given): (request: IncomingMessage) => boolean {
  const loopback = config.profile === 'development' ? ['localhost', '127.0.0.1', '[::1]'] : []
  const hosts = new Set([new URL(config.public_url).hostname, ...loopback])
  if (ofSurfaces.length === 0) return () => true
  return ({ headers }) => hosts.has((headers.host ?? '').toLowerCase().replace(/\.?(:\d+)?$/, ''))
}

/**
 * The decoded path of a file that a request may name, or null. Each segment is decoded once, so that
 * an encoded slash or a path to the folder above names nothing.
 */
function pathOf({ url = '/', method, headers }: IncomingMessage): string | null {
  const [path = '/'] = url.split(/[?#]/, 1)
  if (path === '/') {
    const reads = method === 'GET' || method === 'HEAD'
    return reads && headers.accept?.includes('text/html') ? '/index.html' : null
  }
  try {
    const segments = path.split('/').map(decodeURIComponent)
    const clean = segments.every(
      (one, at) => at === 0 || (one !== '' && !one.startsWith('.') && !/[/\\\0]/.test(one)),
    )
    return clean ? segments.join('/') : null
  } catch {
    return null
  }
}

function headersOf({ public_url }: Config, { csp }: PublicFiles): OutgoingHttpHeaders {
  return {
    ...securityHeaders,
    'content-security-policy': csp,
    'referrer-policy': 'same-origin',
    'accept-ranges': 'bytes',
    ...(public_url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

function send(
  { method, url, headers: sent }: IncomingMessage,
  response: ServerResponse,
  { bytes, type, etag, cache_control }: PublicFile,
  common: OutgoingHttpHeaders,
): void {
  const headers = {
    ...common,
    etag,
    'cache-control': cache_control,
    'x-request-id': newId(),
    ...(url?.startsWith('/?') || url === '/' ? { vary: 'accept' } : {}),
  }
  if (isNotModified(sent['if-none-match'], etag)) return void response.writeHead(304, headers).end()
  const asked = sent['if-range'] === undefined || sent['if-range'] === etag
  const range = asked && method === 'GET' ? rangeOf(sent.range, bytes.length) : null
  // A range that lies behind the end is ignored, as RFC 9110 allows.
  const { start, end } =
    range && range !== 'unsatisfiable' ? range : { start: 0, end: bytes.length - 1 }
  const part = bytes.subarray(start, end + 1)
  const whole = part.length === bytes.length
  response.writeHead(whole ? 200 : 206, {
    ...headers,
    'content-type': type,
    'content-length': part.length,
    ...(whole ? {} : { 'content-range': `bytes ${start}-${end}/${bytes.length}` }),
  })
  response.end(method === 'HEAD' ? undefined : part)
}
