/**
 * The control plane that every vendor has under `/_sandbox/`: plain JSON over HTTP, from this
 * machine only. It refuses requests that a web page could send across sites (a foreign Host, a body
 * that is not JSON), because it sets faults and shows messages without authentication.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TSchema, Static } from 'typebox'
import { Value } from 'typebox/value'

export type Query = Readonly<Record<string, string>>
export type Call = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: unknown
}
export type Answer = { readonly status: number; readonly body?: unknown }
export type ControlRoute = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/_sandbox`: `/messages/{id}`. */
  readonly path: string
  run(call: Call): Answer | Promise<Answer>
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

export function fits<S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (Value.Check(schema, value)) return value
  const [fault] = Value.Errors(schema, value)
  throw new Refusal(
    422,
    'validation_failed',
    `${fault?.instancePath || '/'} ${fault?.message ?? 'is not valid'}`,
  )
}

const prefix = '/_sandbox'
const body_bytes_max = 1 << 20
const local = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

/** A request listener. A vendor with its own HTTP server passes requests under the prefix to it. */
export function controlPlane(about: object, routes: readonly ControlRoute[]) {
  const all: ControlRoute[] = [
    {
      method: 'GET',
      path: '/',
      run: () => ({
        status: 200,
        body: { ...about, routes: routes.map(one => `${one.method} ${prefix}${one.path}`) },
      }),
    },
    ...routes,
  ]
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let answer: Answer
    try {
      answer = await dispatch(all, request)
    } catch (error) {
      // A failure of one call must not end the sandbox for all others.
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, 'internal_error', String(error))
      answer = { status: refusal.status, body: { code: refusal.code, detail: refusal.message } }
    }
    send(response, answer)
  }
}

async function dispatch(
  routes: readonly ControlRoute[],
  request: IncomingMessage,
): Promise<Answer> {
  if (!local.test(request.headers.host ?? '')) {
    throw new Refusal(403, 'permission_denied', 'Only this machine may call the control plane.')
  }
  const url = new URL(request.url ?? '/', 'http://localhost')
  const path = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) || '/' : ''
  const known = routes.flatMap(route => {
    const params = match(route.path, path)
    return params ? [{ route, params }] : []
  })
  const chosen = known.find(one => one.route.method === request.method)
  if (known.length === 0) throw new Refusal(404, 'not_found', 'No operation has this path.')
  if (!chosen) throw new Refusal(405, 'method_not_allowed', 'The method is not supported here.')
  const body = request.method === 'POST' ? await readJson(request) : undefined
  const query = Object.fromEntries(url.searchParams)
  return chosen.route.run({ params: chosen.params, query, body })
}

function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = value
    else if (part !== value) return null
  }
  return params
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > body_bytes_max)
      throw new Refusal(413, 'content_too_large', 'The body may have at most 1 MiB.')
    chunks.push(chunk)
  }
  if (bytes === 0) return {}
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'unsupported_media_type', 'Send application/json.')
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    throw new Refusal(400, 'malformed_json', (error as Error).message)
  }
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (body === undefined) {
    response.writeHead(status).end()
    return
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(body))
}
