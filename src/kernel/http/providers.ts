/**
 * The one route on which every provider reports: a registry, filled by the surfaces, says who verifies and
 * receives for which name, and what this provider takes for "received". The message is stored in this
 * transaction and worked on later.
 */
import { problemsOf } from '../errors/problem.ts'
import { reply, route, type Route } from './route.ts'
import { text } from './shapes.ts'
import type { Provider } from '../surface.ts'

export const providerErrors = {
  provider_not_found: { status: 404, title: 'There is no such provider' },
} as const

const problem = problemsOf(providerErrors)

/** No route where nobody reports. */
export function providerRoutes(providers: readonly Provider[]): Route[] {
  if (providers.length === 0) return []
  const registry = new Map(providers.map(provider => [provider.name, provider]))
  if (registry.size !== providers.length) throw new Error('a provider is registered twice')
  return [
    route({
      method: 'POST',
      path: '/v1/providers/{provider}/webhooks',
      summary: 'Receive a signed report of a provider',
      permission: 'public',
      rate: 'webhook_in',
      idempotency: 'ignored',
      consumes: 'raw',
      params: { provider: text(50) },
      absent: 'provider_not_found',
      fails: ['provider_not_found', 'signature_invalid', 'timestamp_out_of_window'],
      replies: { 200: null, 202: null, 204: null },
      handle: async ({ tx, params, request }) => {
        const provider = registry.get(params.provider)
        if (!provider) throw problem('provider_not_found')
        const verdict = provider.verify(request.raw, request.headers)
        if ('refused' in verdict) throw problem(verdict.refused)
        await provider.receive(tx, verdict)
        return reply(provider.accepted, null)
      },
    }),
  ]
}
