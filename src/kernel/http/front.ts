/**
 * What stands before the framework: a surface may answer a request by itself, for a fraction of what the
 * pipeline costs, or pass it on untouched. The server behind it keeps the framework's own limits.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FastifyServerOptions } from 'fastify'
import { newId } from '../ids.ts'
import type { Log } from '../watch/log.ts'
import { problemOf, securityHeaders } from './answer.ts'
import { renderProblem } from './problem.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Answers, now or later, or calls `pass` with what it was given. Must not throw. */
export type Front = (request: IncomingMessage, response: ServerResponse, pass: Handler) => void

/** The first front that does not pass answers; the framework answers what all of them pass. */
export function serverBehind(
  fronts: readonly Front[],
  stopping: AbortSignal,
): NonNullable<FastifyServerOptions['serverFactory']> {
  return (framework, options) => {
    const handle = fronts.reduceRight<Handler>(
      (pass, front) => (request, response) => {
        // A connection that is kept alive would hold the stopping process.
        if (stopping.aborted) response.shouldKeepAlive = false
        front(request, response, pass)
      },
      framework,
    )
    const { keepAliveTimeout, requestTimeout, connectionTimeout } = options as FastifyServerOptions
    const server: Server = createServer(optionsOf(options), handle)
    if (keepAliveTimeout !== undefined) server.keepAliveTimeout = keepAliveTimeout
    if (requestTimeout !== undefined) server.requestTimeout = requestTimeout
    if (connectionTimeout !== undefined) server.setTimeout(connectionTimeout)
    return server
  }
}

/** Refuses in the words of the pipeline, for a front whose answer failed. Answers the status. */
export function sendRefusal(
  { public_url, log }: { readonly public_url: string; readonly log: Log },
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): number {
  const refusal = problemOf(error)
  const request_id = newId()
  if (refusal.status >= 500) log.error({ request_id, err: error }, refusal.code)
  const path = url.split('?', 1)[0] ?? '/'
  const body = renderProblem(refusal, { public_url, path, request_id })
  const { headers, retry_after } = refusal.details
  const told: Record<string, string> = {
    ...securityHeaders,
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': request_id,
  }
  if (retry_after !== undefined) told['retry-after'] = String(retry_after)
  response.writeHead(refusal.status, told)
  response.end(method === 'HEAD' ? undefined : body)
  return refusal.status
}

function optionsOf(options: Record<string, unknown>): object {
  const { http } = options
  return typeof http === 'object' && http ? http : {}
}
