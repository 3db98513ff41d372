/** Webhooks under the crawler: an endpoint that answers its challenges, and how subscriptions come about. */
import { afterAll } from 'vitest'
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { eventSubjects } from '../catalog/test/crawl-events.ts'
import { inboundRecipes, inboundSubjects } from '../inbound/test/crawl-inbound.ts'
import { openReceiver } from './receiver.ts'

const receiver = await openReceiver()
afterAll(() => receiver.close())

const subscription = () => ({
  endpoint: `http://127.0.0.1:${receiver.port}/`,
  event_filter: { types: ['account.*'] },
  api_version: '2026-01',
  verification: 'manual',
})

type Making = Maker<ProductWorld, Member>

async function activated({ ask }: Making, id = ''): Promise<void> {
  await ask('POST', `/v1/webhook-subscriptions/${id}/verify`, {})
}

/** A delivery exists as soon as its test event is accepted. */
async function delivery(maker: Making): Promise<string> {
  const { id } = await maker.ask('POST', '/v1/webhook-subscriptions', subscription())
  await activated(maker, id)
  return (await maker.ask('POST', `/v1/webhook-subscriptions/${id}/test`, {})).id
}

await crawlSurface({
  surface: 'webhooks',
  settings: {
    WEBHOOKS_ALLOWED_PORTS: '1-65535',
    WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
    WEBHOOKS_MAX_SUBSCRIPTIONS: '10000',
    WEBHOOKS_VERIFICATIONS_PER_HOUR: '10000',
  },
  subjects: {
    '/v1/webhook-deliveries/{id}': { make: delivery },
    ...inboundSubjects,
    ...eventSubjects,
  },
  recipes: {
    'POST /v1/webhook-subscriptions': { request: () => ({ body: subscription() }) },
    'POST /v1/webhook-subscriptions/{id}/verify': { request: () => ({ body: {} }) },
    'POST /v1/webhook-subscriptions/{id}/test': {
      request: async (maker, { id }) => {
        await activated(maker, id)
        return { body: {} }
      },
    },
    'POST /v1/webhook-subscriptions/{id}/replay': {
      request: async (maker, { id }) => {
        await activated(maker, id)
        const since = new Date(Date.now() - 60_000).toISOString()
        return { body: { since, only: 'failed', reason: 'crawled' } }
      },
    },
    ...inboundRecipes,
  },
})
