/**
 * The OpenAPI document as a resource. It is made once, when all routes are known. It is also
 * compressed once. The compressed document is ten times smaller.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { reply, route, type Route } from '#dodeca/kernel'

/** An object, which is sent as a text that is made once, or compressed. */
const Document = Type.Unsafe<string | Buffer>({
  title: 'OpenApiDocument',
  type: 'object',
  properties: {
    openapi: { type: 'string', description: 'The version of OpenAPI.', examples: ['3.1.0'] },
    info: { type: 'object', additionalProperties: true },
    paths: { type: 'object', additionalProperties: true },
    components: { type: 'object', additionalProperties: true },
  },
  required: ['openapi', 'info', 'paths', 'components'],
  additionalProperties: true,
})

export function documentRoute(document: () => string): Route {
  let made: { text: string; zipped: Buffer; tag: string } | undefined
  const make = () => {
    const text = document()
    const tag = createHash('sha256').update(text).digest('hex').slice(0, 22)
    // oxlint-disable-next-line node/no-sync -- once a process, for the first reader: 30 ms
    return { text, zipped: gzipSync(text, { level: 9 }), tag }
  }
  return route({
    method: 'GET',
    path: '/openapi.json',
    name: 'getOpenApiDocument',
    summary: 'Get the OpenAPI 3.1 document of this platform',
    sends: ['etag'],
    permission: 'public',
    added: true,
    produces: ['application/json'],
    replies: { 200: Document },
    headers: {
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
      vary: 'accept-encoding',
    },
    handle: ({ request }) => {
      made ??= make()
      const { text, zipped, tag } = made
      const type = { 'content-type': 'application/json; charset=utf-8' }
      const accepted = String(request.headers['accept-encoding'] ?? '')
      // A strong tag identifies exact bytes, so the compressed document has its own tag.
      return /\bgzip\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(accepted)
        ? reply(200, zipped, { ...type, 'content-encoding': 'gzip', etag: `"${tag}-gzip"` })
        : reply(200, text, { ...type, etag: `"${tag}"` })
    },
  })
}
