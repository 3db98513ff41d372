/** The reference that a person reads: bundled, so that it works without a network. */
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

export function mountDocs(app: FastifyInstance): void {
  void app.register((docs, _options, done) => {
    docs.addHook('onSend', (_request, reply, payload, sent) => {
      void reply.header(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
      )
      sent(null, payload)
    })
    void docs.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Dodeca API',
        withDefaultFonts: false,
        hideClientButton: true,
      },
    })
    done()
  })
}
