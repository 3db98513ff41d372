/** How a body is read: as JSON, as its exact bytes, or by the handler itself while it arrives. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from './content.ts'
import { problem } from '../errors/problem.ts'
import { readRaw } from './raw-body.ts'
import type { Route } from './route.ts'

type Consumes = NonNullable<Route['consumes']>

/** Installs the parser of one kind of routes on the scope that holds them. */
export const parsers: Readonly<Record<Consumes, (scope: FastifyInstance) => void>> = {
  json: readJson,
  raw: scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', readRaw)
  },
  stream: scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request, _payload, done) => {
      const tooLarge = (request.incoming?.declared_bytes ?? 0) > request.routeOptions.bodyLimit
      done(tooLarge ? problem('content_too_large') : null)
    })
  },
}

function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request, body, done) => {
      try {
        done(null, readBody(request, body as Buffer))
      } catch (error) {
        done(error as Error, undefined)
      }
    },
  )
}

function readBody(request: FastifyRequest, body: Buffer): unknown {
  const type = request.headers['content-type'] ?? ''
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1]?.toLowerCase()
  const patch = type.toLowerCase().startsWith('application/merge-patch+json')
  if ((charset && charset !== 'utf-8') || (patch && request.method !== 'PATCH')) {
    throw problem('unsupported_media_type')
  }
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw problem('unsupported_media_type')
  return body.length === 0 ? undefined : parseJson(body)
}
