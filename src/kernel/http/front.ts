/**
 * What stands before the framework: a surface may answer a request by itself, for a fraction of what the
 * pipeline costs, or pass it on untouched. The server behind it keeps the framework's own limits.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FastifyServerOptions } from 'fastify'

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

function optionsOf(options: Record<string, unknown>): object {
  const { http } = options
  return typeof http === 'object' && http ? http : {}
}
