/**
 * The API reference for people. It is bundled, so it works without a network. Its program takes
 * tens of megabytes of memory. So it is loaded at the first visit, into its own server instance
 * that listens on no port.
 */
import Fastify, { type FastifyInstance } from 'fastify'
import type { App } from './app.ts'

const at = '/docs/api'
/** Where the program of the page was before the documentation took `/docs`. */
const moved = '/docs/js/scalar.js'
const paths = [at, `${at}/`, `${at}/js/scalar.js`]
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

/** `document` is what it shows, as JSON. */
export function mountReference(app: App, document: () => string): void {
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
  app.get(`${at}/openapi.json`, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(document()),
  )
  app.get(moved, async (_request, reply) => reply.redirect(`${at}/js/scalar.js`, 301))
}

async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = Fastify({ logger: false })
  await server.register(scalar, {
    routePrefix: at,
    configuration: {
      url: `${at}/openapi.json`,
      pageTitle: 'Dodeca API',
      withDefaultFonts: false,
      hideClientButton: true,
      // Each operation brings its own samples.
      hiddenClients: true,
      defaultOpenAllTags: false,
      // What would call its maker's servers.
      agent: { disabled: true },
      mcp: { disabled: true },
      telemetry: false,
      showDeveloperTools: 'never',
      authentication: { preferredSecurityScheme: 'bearer' },
    },
  })
  return server
}
