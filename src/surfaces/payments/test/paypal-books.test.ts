/** PayPal's books against ours, for the platform's account and that of a tenant, each for itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { items, type Merchant } from './payment-world.ts'
import { openPayPalWorld, return_url, type PayPalWorld } from './paypal-world.ts'

let world: PayPalWorld
beforeAll(async () => {
  world = await openPayPalWorld()
})
afterAll(() => world.close())

async function reconciled(shop: Merchant, provider = 'paypal') {
  const from = new Date(Date.now() - 40 * 86_400_000).toISOString()
  const to = '2100-01-01T00:00:00.000Z'
  const asked = await shop.ask('POST', '/v1/reconciliation-runs', { from, to, provider })
  expect(asked.status, asked.text).toBe(202)
  return await eventually('the run has ended', async () => {
    const { body } = await shop.ask('GET', asked.headers.get('location') ?? '')
    return ['succeeded', 'failed'].includes(body.status) && body
  })
}

test('books that are late miss nothing, and prove the balance when they are complete', async () => {
  const shop = await world.merchant()
  const { id } = await world.captured(shop)
  const held = await world.authorized(shop, { amount_minor: 700 })
  await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 1000 })
  const early = await reconciled(shop)
  expect([early.status, early.opened]).toEqual(['succeeded', 0])
  // As in three hours.
  await world.at.control('config', { report_late_seconds: 0 })
  const late = await reconciled(shop)
  expect([late.status, late.opened]).toEqual(['succeeded', 0])
  const { clearing_minor, recorded_minor, provider_minor } = late.proof.EUR
  // 50.00, less a fee of 3 % and a refund of 10.00.
  expect([clearing_minor, recorded_minor, provider_minor]).toEqual([3850, 3850, 3850])
  expect((await shop.read(held.id)).state).toBe('authorized')
  await world.sound()
})

test('money without a payment of ours, and a withdrawal to the bank, are in the books', async () => {
  const shop = await world.merchant()
  const moved = (code: string, value: string, sign: number) =>
    world.at.control('movements', { code, amount: { currency_code: 'USD', value }, sign })
  const { id } = await moved('T0000', '40.00', 1)
  await moved('T0400', '15.00', -1)
  const run = await reconciled(shop)
  expect(run.proof.USD).toEqual({
    clearing_minor: 2500,
    recorded_minor: 2500,
    provider_minor: 2500,
  })
  expect((await items(shop, 'missing_local')).some(one => one.external_ref === id)).toBe(true)
  // Once, however often it is compared.
  const again = await reconciled(shop)
  expect([again.opened, again.proof.USD.clearing_minor]).toEqual([0, 2500])
  await world.sound()
})

test('what was taken without an answer or a message is found in the books', async () => {
  const shop = await world.merchant()
  await world.at.control('config', { webhook_url: null })
  const { id } = await world.asked(shop)
  const order = await world.handleOf(shop, id)
  await world.at.approve(order)
  await atPayPal(`checkout/orders/${order}/authorize`)
  const [hold] = await world.at.effects(order)
  await atPayPal(`payments/authorizations/${hold?.object}/capture`)
  await reconciled(shop)
  expect((await shop.read(id)).state).toBe('captured')
  await world.at.control('config', { webhook_url: `${world.url}/v1/providers/paypal/webhooks` })
  await world.sound()
})

/** A request that the platform does not make. */
async function atPayPal(path: string): Promise<void> {
  const { api, client_id, client_secret } = world.vendors['paypal'] ?? {}
  const token = await fetch(`${api}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: 'grant_type=client_credentials',
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const answer = await fetch(`${api}/v2/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'paypal-request-id': newId() },
    body: '{}',
  })
  expect(answer.status).toBe(201)
}

async function ownerOf(world: PayPalWorld) {
  const shop = await world.merchant()
  await world.allow(shop, 'payments.accounts.write')
  const at = await world.at.control('accounts')
  const put = (body: object = {}, name = 'shop') =>
    shop.ask('PUT', `/v1/payment-accounts/${name}`, {
      provider: 'paypal',
      auth: { client_id: at.client_id, client_secret: at.client_secret },
      webhook_secret: at.webhook_id,
      ...body,
    })
  const made = await put()
  expect(made.status, made.text).toBe(200)
  await world.at.control('config', {
    account: at.account_id,
    webhook_url: `${world.url}/v1/providers/${made.body.id}/webhooks`,
  })
  return { shop, at, put, account: made.body }
}

test('a tenant is paid at its own account, whose books and messages are its own', async () => {
  const { shop, at, account } = await ownerOf(world)
  expect(account).toMatchObject({
    provider: 'paypal',
    external_ref: at.account_id,
    methods: ['paypal'],
    auth: { last4: at.client_secret.slice(-4), publishable_key: at.client_id },
  })
  expect(JSON.stringify(account)).not.toContain(at.client_secret)
  const { id } = await world.captured(shop, { provider: undefined })
  const effects = await world.at.effects(await world.handleOf(shop, id))
  expect(effects.map(one => [one.account, one.kind])).toEqual([
    [at.account_id, 'authorization'],
    [at.account_id, 'capture'],
  ])
  const { api } = world.vendors['paypal'] ?? {}
  expect(api).toBeDefined()
  // A run of the platform's account does not see it.
  const run = await reconciled(await world.merchant())
  expect(run.opened).toBe(0)
  await world.sound()
})

test('a message for one account never touches the payment of another', async () => {
  const { shop, at, account } = await ownerOf(world)
  const other = await world.merchant()
  const { id } = await world.asked(other)
  const order = await world.handleOf(other, id)
  const event = {
    id: `WH-${newId()}`,
    event_type: 'CHECKOUT.ORDER.APPROVED',
    resource: { id: order },
  }
  const body = JSON.stringify(event)
  const headers = await world.at.control('sign', { webhook_id: at.webhook_id, body })
  const send = async (to: string) =>
    (await fetch(`${world.url}/v1/providers/${to}/webhooks`, { method: 'POST', headers, body }))
      .status
  // Signed for its own webhook, it is none of the platform's.
  expect(await send('paypal')).toBeGreaterThanOrEqual(400)
  expect(await send(account.id)).toBe(200)
  await eventually('it was looked at', async () => {
    const open = await world.platform.kernel.db.run(sql`
      select 1 from payments.provider_events
      where event_id = ${event.id} and processed_at is not null`)
    return open === 1
  })
  expect((await other.read(id)).state).toBe('requires_action')
  expect((await shop.ask('GET', `/v1/payment-intents/${id}`)).status).toBe(404)
})

test('wrong credentials, those of another account, and a taken account are refused', async () => {
  const { put, at } = await ownerOf(world)
  const wrong = { client_id: at.client_id, client_secret: 'x'.repeat(24) }
  expect((await put({ auth: wrong })).body.code).toBe('payment_account_refused')
  const other = await world.at.control('accounts')
  const { client_id, client_secret } = other
  const differs = await put({ auth: { client_id, client_secret } })
  expect(differs.body.code).toBe('payment_account_differs')
  expect((await put({}, 'second')).body.code).toBe('payment_account_taken')
  const mixed = await put({ auth: { secret_key: 'sk_test_12345678' } })
  expect([mixed.status, mixed.body.detail]).toEqual([422, expect.stringContaining('client_id')])
})

test('the options of a currency are those of the providers that take it', async () => {
  const options = async (query: string) => {
    const answer = await fetch(`${world.url}/v1/payment-options?${query}`)
    const { options: found } = (await answer.json()) as { options: Record<string, unknown>[] }
    return found.map(one => [one['provider'], one['method'], one['script_url'] === null])
  }
  const card = ['stripe', 'card', false]
  const paypal = ['paypal', 'paypal', true]
  expect(await options('currency=EUR&amount_minor=1250')).toEqual([card, paypal])
  expect(await options('currency=HUF&amount_minor=1250')).toEqual([card])
  expect(await options('currency=HUF&amount_minor=1200')).toEqual([card, paypal])
  expect(await options('currency=KWD&amount_minor=1250')).toEqual([card])
  expect(return_url).toContain('https://')
})
