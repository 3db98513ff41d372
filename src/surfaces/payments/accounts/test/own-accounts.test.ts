/** Own payment accounts: the money of a tenant goes to its own account, and nothing crosses accounts. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openPaymentWorld, reconcile, type PaymentWorld } from '../../test/payment-world.ts'
import { accountAt, ownerIn, type Owner } from './account-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({
    PAYMENTS_EVENT_CATCHUP_SECONDS: '2',
    PAYMENTS_RECONCILE_SECONDS: '10',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '2000',
  })
})
afterAll(() => world.close())

const db = () => world.platform.kernel.db
const accountsOf = async (owner: Owner) =>
  (await owner.ask('GET', '/v1/ledger/accounts?limit=100')).body.data as {
    type: string
    payment_account_id: string | null
    balance_minor: number
  }[]

describe.concurrent('a payment of a tenant with an own account', () => {
  test('is made there, with books of its own, and the platform holds none of it', async () => {
    const owner = await ownerIn(world)
    const { id, provider, payment_account_id } = await owner.captured(5000)
    expect([provider, payment_account_id]).toEqual(['stripe', owner.account.id])
    const effects = await owner.at.effects()
    expect(effects.map(one => one.kind)).toEqual(['authorize', 'capture'])
    const object = effects[0]?.object ?? ''
    expect(await world.effects(object)).toEqual([])
    expect((await world.atProvider(`payment_intents/${object}/cancel`)).error.code).toBe(
      'resource_missing',
    )
    const refund = await owner.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 1500 })
    expect(refund.status, refund.text).toBe(201)
    const books = await accountsOf(owner)
    expect(new Set(books.map(one => one.payment_account_id))).toEqual(new Set([owner.account.id]))
    const clearing = books.find(one => one.type === 'provider_clearing')
    const { available, pending } = await owner.at.ask('balance')
    const sum = [...available, ...pending].reduce((total, one) => total + one.amount, 0)
    expect(clearing?.balance_minor).toBe(sum)
  })

  test('a run of its account proves its balance, and payments made at it by others are its own', async () => {
    const owner = await ownerIn(world)
    await owner.captured(4200)
    await owner.at.control('foreign_payments', { amount: 700, currency: 'eur' })
    const proof = await eventually('a run has proved it', async () => {
      const run = await db().maybe(
        Type.Object({ proof: Type.Unknown() }),
        sql`
          select proof from payments.reconciliation_runs
          where provider = ${`stripe:${owner.account.id}`} and state = 'succeeded'
          order by id desc limit 1`,
      )
      const line = (run?.proof as Record<string, Record<string, number>> | undefined)?.['EUR']
      return line?.['clearing_minor'] === line?.['provider_minor'] && line
    })
    expect(proof['recorded_minor']).toBe(proof['provider_minor'])
    const items = await db().many(
      Type.Object({ tenant_id: Type.String() }),
      sql`
        select tenant_id from payments.reconciliation_items
        where provider = ${`stripe:${owner.account.id}`}`,
    )
    expect(new Set(items.map(one => one.tenant_id))).toEqual(new Set([owner.tenant.id]))
    const whole = await reconcile(await world.merchant())
    expect(whole.proof.EUR?.clearing_minor ?? 0).toBe(whole.proof.EUR?.provider_minor ?? 0)
  })

  test('a lost webhook is found in the events of its account', async () => {
    const owner = await ownerIn(world)
    await owner.at.control('config', { webhook_url: null })
    const { id } = await owner.authorized(5000, 'pm_card_authenticationRequired')
    const { next_action } = await owner.read(id)
    await fetch(`${next_action.url}/succeed`, { method: 'POST' })
    expect((await owner.reaches(id, 'authorized')).amount_capturable_minor).toBe(5000)
  })

  test('is made on the page with a token of its account only', async () => {
    const owner = await ownerIn(world)
    await world.allow(owner, 'payments.requests.create', 'payments.requests.read')
    const { body: asked } = await owner.ask('POST', '/v1/payment-requests', {
      amount_minor: 4990,
      currency: 'EUR',
      description: 'Invoice 17',
    })
    const { pathname, search } = new URL(asked.url)
    const page = await fetch(world.url + pathname + search)
    expect(await page.text()).toContain(owner.at.publishable_key)
    const options = await world.call(
      'GET',
      `/v1/payment-options?payment_account_id=${owner.account.id}`,
    )
    expect(options.body.options[0].publishable_key).toBe(owner.at.publishable_key)
    const pay = async (payment_method: string) => {
      const body = { provider: 'stripe', payment_method, attempt_id: newId() }
      return await world.call('POST', `${pathname}/attempts${search}`, { body })
    }
    const form = { payment_method: 'pm_card_visa' }
    const { id: foreign } = await world.atProvider('test_helpers/confirmation_tokens', form)
    const refused = await pay(foreign)
    expect([refused.status, refused.body.code]).toEqual([422, 'payment_method_invalid'])
    expect(await owner.at.effects()).toEqual([])
    const { id: own } = await owner.at.ask('test_helpers/confirmation_tokens', form)
    const paid = await pay(own)
    expect(paid.status, paid.text).toBeLessThan(300)
    await eventually('it is paid', async () => {
      const { body } = await owner.ask('GET', `/v1/payment-requests/${asked.id}`)
      return body.state === 'paid'
    })
    expect((await owner.at.effects()).map(one => one.kind)).toEqual(['authorize', 'capture'])
  })

  test('a body chooses: an account by name, or the platform', async () => {
    const owner = await ownerIn(world)
    const { key: secret_key } = await accountAt(world)
    const second = await owner.put({ auth: { secret_key } }, 'second')
    expect(second.status, second.text).toBe(200)
    expect((await owner.intent()).payment_account_id).toBe(owner.account.id)
    expect((await owner.intent({ account: 'second' })).payment_account_id).toBe(second.body.id)
    expect((await owner.intent({ account: 'platform' })).payment_account_id).toBeNull()
    const other = await ownerIn(world, 'elsewhere')
    const foreign = await owner.ask('POST', '/v1/payment-intents', {
      amount_minor: 5000,
      currency: 'EUR',
      account: other.account.name,
    })
    expect([foreign.status, foreign.body.code]).toEqual([422, 'payment_account_unusable'])
  })
})

describe.concurrent('an account', () => {
  test('shows no secret, and keeps what a second request leaves out', async () => {
    const owner = await ownerIn(world)
    const { key, webhook_secret, account } = owner.at
    const again = await owner.put({ methods: ['card'] })
    expect(again.body).toMatchObject({
      external_ref: account,
      state: 'active',
      has_webhook_secret: true,
      auth: { last4: key.slice(-4), publishable_key: owner.at.publishable_key },
      webhook_url: `http://dodeca.test/v1/providers/${owner.account.id}/webhooks`,
      version: 2,
    })
    const list = await owner.ask('GET', '/v1/payment-accounts')
    for (const text of [again.text, list.text, JSON.stringify(await owner.shown())]) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(webhook_secret)
    }
    expect((await owner.authorized()).state).toBe('authorized')
  })

  test.each([
    ['without credentials', {}, 422, 'validation_failed'],
    ['with a key that is none', { auth: { secret_key: 'none' } }, 422, 'validation_failed'],
    [
      'with a live key, where Stripe is elsewhere',
      { auth: { secret_key: 'sk_live_1234567890' } },
      422,
      'validation_failed',
    ],
    [
      'with a key that the provider does not know',
      { auth: { secret_key: 'sk_test_1234567890' } },
      422,
      'payment_account_refused',
    ],
  ] as const)('is refused %s', async (_name, body, status, code) => {
    const merchant = await world.merchant()
    await world.allow(merchant, 'payments.accounts.write')
    const answer = await merchant.ask('PUT', '/v1/payment-accounts/shop', {
      provider: 'stripe',
      ...body,
    })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect((await merchant.ask('GET', '/v1/payment-accounts/shop')).status).toBe(404)
  })

  test('keeps its account with the provider, and no other tenant may have the same', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    const { key: secret_key } = await accountAt(world)
    const moved = await owner.put({ auth: { secret_key } })
    expect([moved.status, moved.body.code]).toEqual([409, 'payment_account_differs'])
    const stolen = await owner.put({ auth: { secret_key: other.at.key } }, 'second')
    expect([stolen.status, stolen.body.code]).toEqual([409, 'payment_account_taken'])
    expect((await owner.authorized()).state).toBe('authorized')
  })

  test('is one, when twenty requests add it at once', async () => {
    const merchant = await world.merchant()
    await world.allow(merchant, 'payments.accounts.write')
    const { key: secret_key } = await accountAt(world)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        merchant.ask('PUT', '/v1/payment-accounts/shop', {
          provider: 'stripe',
          auth: { secret_key },
        }),
      ),
    )
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([200]))
    expect(new Set(answers.map(one => one.body.id)).size).toBe(1)
  })
})
