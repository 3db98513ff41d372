/**
 * Reads a body in one of three ways: as JSON, as its exact bytes, or as a stream that the handler
 * reads.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from './content.ts'
import { problem, type Problem } from '../errors/problem.ts'
import { readRaw } from './raw-body.ts'
import type { Route } from './route.ts'

type Consumes = NonNullable<Route['consumes']>

/** Installs the parser for one kind of route on the scope that contains these routes. */
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
  if (charset && charset !== 'utf-8') {
    throw problem('unsupported_media_type', {
      detail: 'The body must be UTF-8. Leave the charset out.',
    })
  }
  if (patch && request.method !== 'PATCH') throw unsupported(type, request.method)
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    const detail = 'A body must not be compressed. Send it without Content-Encoding.'
    throw problem('unsupported_media_type', { detail })
  }
  return body.length === 0 ? undefined : parseJson(body)
}

/** The refusal gives the accepted media types, and says whether the body had a media type. */
export function unsupported(given: string | undefined, method: string): Problem {
  const taken =
    method === 'PATCH' ? 'application/json or application/merge-patch+json' : 'application/json'
  const was = given
    ? 'The media type of the body is not accepted here'
    : 'The body has no media type'
  return problem('unsupported_media_type', { detail: `${was}. Send \`Content-Type: ${taken}\`.` })
}
