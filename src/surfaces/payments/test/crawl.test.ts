/** Payments under the crawler: how payments in each state, refunds, disputes and their books come about. */
import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import { newId, sql } from '#dodeca/kernel'
import { openSandbox } from '../../../sandbox/open-sandbox.ts'
import { stripe } from '../../../sandbox/stripe/stripe.ts'

const folder = await mkdtemp(join(tmpdir(), 'dodeca-payments-crawl-'))
const sandbox = await openSandbox(folder, [stripe])
const {
  api = '',
  key = '',
  publishable_key = '',
  webhook_secret = '',
}: Record<string, string> = sandbox.addresses['stripe'] ?? {}
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

type Asks = {
  ask(
    method: 'POST' | 'GET' | 'PUT',
    path: string,
    body?: object,
  ): Promise<{ id: string; url: string; data: Listed[] }>
}
type Listed = { id: string }

const created = async ({ ask }: Asks) =>
  (await ask('POST', '/v1/payment-intents', { amount_minor: 1000, currency: 'EUR' })).id
const authorize = async ({ ask }: Asks, id: string, payment_method = 'pm_card_visa') => {
  await ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method })
}
const captured = async (maker: Asks) => {
  const id = await created(maker)
  await authorize(maker, id)
  await maker.ask('POST', `/v1/payment-intents/${id}/capture`, {})
  return id
}
const saved = async ({ ask }: Asks) => {
  const { id: customer_id } = await ask('POST', '/v1/customers', customer)
  const body = { amount_minor: 1000, currency: 'EUR', customer_id }
  const { id } = await ask('POST', '/v1/payment-intents', body)
  const method = { payment_method: 'pm_card_visa', save: true }
  await ask('POST', `/v1/payment-intents/${id}/authorize`, method)
  const { data } = await ask('GET', `/v1/payment-methods?customer_id=${customer_id}`)
  return data[0]?.id ?? ''
}
const posted = async (maker: Asks) => {
  const id = await captured(maker)
  const { data } = await maker.ask('GET', `/v1/ledger/transactions?intent_id=${id}`)
  return data[0]?.id ?? ''
}
const customer = { name: 'Ann', email: 'ann@example.com' }
let accounts = 0
/** Each account with the provider belongs to one payment account. */
async function connection() {
  const made = await fetch(`${api}/_sandbox/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { key: secret_key } = (await made.json()) as { key: string }
  return { provider: 'stripe', auth: { secret_key } }
}
/** The signatures of the addresses of pages, by request. */
const signatures = new Map<string, Record<string, string>>()
const asked = { amount_minor: 1000, currency: 'EUR', description: 'Invoice 17' }
const requested = async ({ ask }: Asks) => {
  const { id, url } = await ask('POST', '/v1/payment-requests', asked)
  signatures.set(id, Object.fromEntries(new URL(url).searchParams))
  return id
}
const signed = (_maker: unknown, { id = '' }: Record<string, string>) => ({
  query: signatures.get(id) ?? {},
})
const window = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }

await crawlSurface({
  surface: 'payments',
  settings: {
    PAYMENTS_STRIPE_SECRET_KEY: key,
    PAYMENTS_STRIPE_PUBLISHABLE_KEY: publishable_key,
    PAYMENTS_STRIPE_BASE_URL: api,
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: webhook_secret,
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
  },
  also: ['POST /v1/providers/{provider}/webhooks'],
  subjects: {
    '/v1/payment-intents/{id}': { make: created },
    '/v1/payment-accounts/{name}': {
      make: async ({ ask }) => {
        const name = `shop-${++accounts}`
        await ask('PUT', `/v1/payment-accounts/${name}`, await connection())
        return name
      },
    },
    '/v1/payment-methods/{id}': { make: saved },
    '/v1/payment-requests/{id}': { make: requested },
    // The URL is the credential: a caller of any tenant may use it.
    '/pay/{id}': { shared: true, make: requested },
    '/v1/refunds/{id}': {
      make: async maker =>
        (await maker.ask('POST', '/v1/refunds', { intent_id: await captured(maker) })).id,
    },
    '/v1/disputes/{id}': {
      make: async ({ world, person, ...maker }) => {
        const intent_id = await captured(maker)
        const id = newId()
        await world.platform.kernel.db.run(sql`
          insert into payments.disputes (
            tenant_id, id, intent_id, provider, provider_dispute_id, amount_minor, currency,
            state, reason)
          values (${person.tenant.id}, ${id}, ${intent_id}, 'stripe', ${`du_${id}`}, 1000, 'EUR',
            'needs_response', 'fraudulent')`)
        return id
      },
    },
    '/v1/ledger/accounts/{id}': {
      make: async maker => {
        await captured(maker)
        const { data } = await maker.ask('GET', '/v1/ledger/accounts')
        return data[0]?.id ?? ''
      },
    },
    '/v1/ledger/transactions/{id}': { make: posted },
    // The operator of the platform reverses the transactions of all tenants.
    '/v1/ledger/transactions/{transaction_id}': { shared: true, make: posted },
    '/v1/reconciliation-runs/{id}': {
      shared: true,
      make: async ({ ask }) => (await ask('POST', '/v1/reconciliation-runs', window)).id,
    },
    '/v1/reconciliation-items/{id}': {
      shared: true,
      make: async ({ world }) => {
        const id = newId()
        await world.platform.kernel.db.run(sql`
          insert into payments.reconciliation_items (
            tenant_id, id, provider, external_ref, discrepancy)
          values (${newId()}, ${id}, 'stripe', ${id}, 'missing_local')`)
        return id
      },
    },
    '/v1/providers/{provider}': { shared: true, make: () => 'stripe' },
  },
  recipes: {
    'PUT /v1/payment-accounts/{name}': {
      request: () => ({ body: { provider: 'stripe', methods: ['card'] } }),
    },
    'POST /v1/payment-intents': {
      request: () => ({ body: { amount_minor: 1000, currency: 'EUR' } }),
    },
    'POST /v1/payment-intents/{id}/authorize': {
      request: () => ({ body: { payment_method: 'pm_card_visa' } }),
    },
    'GET /v1/payment-intents/{id}/next-action': {
      request: async (maker, { id = '' }) => {
        await authorize(maker, id, 'pm_card_authenticationRequired')
        return {}
      },
    },
    'POST /v1/payment-intents/{id}/capture': {
      request: async (maker, params) => {
        await authorize(maker, params['id'] ?? '')
        return { body: {} }
      },
    },
    'POST /v1/payment-intents/{id}/cancel': { request: () => ({ body: {} }) },
    'POST /v1/customers': { request: () => ({ body: customer }) },
    'PATCH /v1/customers/{customer_id}': { request: () => ({ body: { name: 'Ann B' } }) },
    'POST /v1/payment-requests': { request: () => ({ body: asked }) },
    'POST /v1/payment-requests/{id}/cancel': { request: () => ({}) },
    'GET /pay/{id}': { request: signed },
    'GET /pay/{id}/state': { request: signed },
    'POST /pay/{id}/attempts': {
      request: (maker, params) => ({
        ...signed(maker, params),
        body: {
          provider: 'stripe',
          payment_method: 'pm_card_visa',
          attempt_id: newId(),
        },
      }),
    },
    'POST /v1/refunds': {
      request: async maker => ({ body: { intent_id: await captured(maker) } }),
    },
    'POST /v1/reconciliation-runs': { request: () => ({ body: window }) },
    'POST /v1/reconciliation-items/{id}/resolve': {
      request: () => ({ body: { resolution: 'ignored', note: 'crawled' } }),
    },
    'POST /v1/providers/{provider}/webhooks': { request: () => signedEvent() },
  },
})

function signedEvent() {
  const t = Math.floor(Date.now() / 1000)
  const event = {
    id: `evt_${newId()}`,
    type: 'payment_intent.created',
    created: t,
    data: { object: { id: 'pi_nothing' } },
  }
  const text = JSON.stringify(event)
  const v1 = createHmac('sha256', webhook_secret).update(`${t}.${text}`).digest('hex')
  return {
    bytes: Buffer.from(text),
    headers: { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' },
  }
}
