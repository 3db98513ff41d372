/**
 * The API reference for people: bundled, so that it works without a network. Its program takes tens
 * of megabytes of memory, so it is loaded at the first visit, into its own server instance that
 * listens on no port.
 */
import Fastify, { type FastifyInstance } from 'fastify'

const paths = ['/docs', '/docs/', '/docs/js/scalar.js']
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

export function mountDocs(app: FastifyInstance): void {
  let opened: Promise<FastifyInstance> | undefined
  const reference = () => (opened ??= openReference())
  for (const url of paths) {
    app.get(url, async (_request, reply) => {
      const server = await reference()
      const { statusCode, headers, rawPayload } = await server.inject({ method: 'GET', url })
      const { location, 'content-type': type } = headers
      if (location !== undefined) void reply.header('location', location)
      if (type !== undefined) void reply.header('content-type', type)
      return reply.code(statusCode).header('content-security-policy', policy).send(rawPayload)
    })
  }
}

async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = Fastify({ logger: false })
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Dodeca API',
      withDefaultFonts: false,
      hideClientButton: true,
    },
  })
  return server
}
