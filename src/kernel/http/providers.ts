/**
 * The one route to which all providers send their messages. For each provider, a surface registers
 * functions that verify and receive a message. The order is fixed: size, bytes, signature,
 * timestamp, envelope, insert, reply. The events are processed later. Only refused messages count
 * against the rate of a network, so a provider that sends many events is never refused.
 */
import { problemsOf } from '../errors/problem.ts'
import type { Log } from '../observability/log.ts'
import { canBeStored } from './input/content.ts'
import { reply, route, type Route } from './contract/route.ts'
import { text } from './contract/shapes.ts'
import { Type } from 'typebox'
import type { Db } from '../database/db.ts'
import { gather } from '../database/gather.ts'
import type { Provider, ProviderEvent } from './provider.ts'

export const providerErrors = {
  provider_not_found: {
    status: 404,
    title: 'There is no such provider',
    cause: 'The platform accepts no messages from a provider of this name.',
    cure: 'Check the name in the address that is configured at the provider.',
  },
  envelope_invalid: {
    status: 400,
    title: 'The message does not have the form of its provider',
    cause: 'The bytes do not have the form of this provider.',
    cure: 'Check that the provider sends its own format to this address, and that no proxy changes it.',
  },
} as const

const problem = problemsOf(providerErrors)
const Received = Type.Object({ received: Type.Boolean() }, { title: 'ProviderMessageReceived' })

type ProvidersDeps = {
  readonly providers: readonly Provider[]
  readonly db: Db
  readonly log: Log
  readonly public_url: string
}

/** The route exists only if there are providers. */
export function providerRoutes({ providers, db, log, public_url }: ProvidersDeps): Route[] {
  if (providers.length === 0) return []
  const registry = new Map(providers.map(provider => [provider.name, provider]))
  if (registry.size !== providers.length) throw new Error('a provider is registered twice')
  const { find, maxBytes } = finderOf(registry)
  const stores = new WeakMap<Provider, Store>()
  const storeFor = (provider: Provider): Store => {
    const store = stores.get(provider) ?? storeOf(db, provider)
    stores.set(provider, store)
    return store
  }
  return [
    route({
      method: 'POST',
      path: '/v1/providers/{provider}/webhooks',
      name: 'receiveProviderWebhook',
      summary: 'Receive a signed report of a provider',
      permission: 'public',
      foreign_query: true,
      takes: 'signature',
      rate: 'webhook_in',
      rate_by: ['provider'],
      counts_refused: true,
      idempotency: 'ignored',
      transaction: 'own',
      consumes: 'raw',
      body_limit_bytes: Math.max(...providers.map(({ max_bytes }) => max_bytes)),
      bodyLimitFor: ({ params }) => maxBytes(params['provider']),
      params: { provider: text(50) },
      absent: 'provider_not_found',
      fails: [
        'provider_not_found',
        'envelope_invalid',
        'signature_invalid',
        'timestamp_out_of_window',
      ],
      replies: { 200: Received, 202: null, 204: null },
      handle: async ({ params, request }) => {
        const provider = await find(params.provider)
        const { raw, headers, path, search } = request
        const given = await provider.verify({ raw, headers, url: public_url + path + search })
        const unreadable = 'events' in given && !canBeStored(given.events)
        const verdict = unreadable ? ({ refused: 'envelope_invalid' } as const) : given
        if ('refused' in verdict) {
          // Its signature is valid, so the platform misses what it reports.
          if (verdict.refused === 'envelope_invalid') {
            const fields = { provider: provider.name, bytes: raw.length }
            log.warn(
              { ...fields, error_code: verdict.refused },
              'a message of a provider was refused',
            )
          }
          throw problem(verdict.refused)
        }
        if (verdict.events.length > 0) await storeFor(provider)(verdict.events)
        const { accepted } = provider
        return accepted === 200 ? reply(accepted, { received: true }) : reply(accepted, null)
      },
    }),
  ]
}

function finderOf(registry: ReadonlyMap<string, Provider>) {
  const withAccounts = [...registry.values()].filter(({ account }) => account)
  const unknown = () => {
    const detail = `Known providers: ${[...registry.keys()].join(', ')}.`
    return problem('provider_not_found', { detail })
  }
  return {
    find: async (name: string): Promise<Provider> => {
      const known = registry.get(name)
      if (known) return known
      for (const { account } of withAccounts) {
        const found = await account?.(name)
        if (found) return found
      }
      throw unknown()
    },
    /** Before the body is read. Whether an account exists is asked afterwards. */
    maxBytes: (name = ''): number => {
      const able = registry.get(name)
      if (!able && withAccounts.length === 0) throw unknown()
      return able?.max_bytes ?? Math.max(...withAccounts.map(one => one.max_bytes))
    },
  }
}

/**
 * While two commits wait for the disk, a third can write. This handles an eighth more messages than
 * a maximum of two.
 */
const shared = { flights_max: 3, items_max: 64 }

type Store = (events: readonly ProviderEvent[]) => Promise<unknown>

function storeOf(db: Db, provider: Provider): Store {
  const store = (events: readonly ProviderEvent[]) => db.tx(tx => provider.receive(tx, events))
  if (!provider.shares_commits) return store
  return gather<readonly ProviderEvent[], undefined>(shared, async messages => {
    await store(messages.flat())
    return messages.map(() => undefined)
  })
}
