/** Own payment accounts: the money of a tenant goes to its own account, and nothing crosses accounts. */
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openPaymentWorld, reconcile, type PaymentWorld } from '../../test/payment-world.ts'
import { accountAt, eventAbout, ownerIn, type Owner } from './account-world.ts'

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

function sent(account_id: string, secret: string, body: string) {
  const t = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return world.call('POST', `/v1/providers/${account_id}/webhooks`, {
    body,
    headers: { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' },
  })
}

describe.concurrent('a payment of a tenant with an own account', () => {
  test('is made there, with books of its own, and the platform holds none of it', async () => {
    const owner = await ownerIn(world)
    const { id, provider, payment_account_id } = await owner.captured(5000)
    expect([provider, payment_account_id]).toEqual(['stripe', owner.account.id])
    const effects = await owner.at.effects()
    expect(effects.map(one => one.kind)).toEqual(['authorize', 'capture'])
    const [{ object = '' } = {}] = effects
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
      auth: { last4: key.slice(-4), publishable_key: null },
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

  test('needs a fresh log-in and the permission', async () => {
    const owner = await ownerIn(world)
    // From now on the session is weaker than its owner could be.
    await db().run(sql`
      insert into identity.mfa_methods (tenant_id, id, account_id, type, status, label)
      values (${owner.tenant.id}, ${newId()}, ${owner.id}, 'totp', 'active', 'phone')`)
    const weak = await Promise.all([owner.put(), owner.ask('DELETE', '/v1/payment-accounts/shop')])
    expect(weak.map(one => one.body.code)).toEqual(['step_up_required', 'step_up_required'])
    expect((await owner.shown()).state).toBe('active')
    const plain = await world.member(owner.tenant)
    const asked = { token: plain.token, body: { provider: 'stripe' } }
    const refused = await world.call('PUT', '/v1/payment-accounts/shop', asked)
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  })
})

describe.concurrent('what crosses accounts', () => {
  test('a webhook with the secret of another account is refused', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    const body = eventAbout({ id: 'pi_of_nobody' })
    const wrong = await sent(owner.account.id, other.at.webhook_secret, body)
    expect([wrong.status, wrong.body.code]).toEqual([401, 'signature_invalid'])
    const platform = world.vendors['stripe']?.['webhook_secret'] ?? ''
    expect((await sent(owner.account.id, platform, body)).status).toBe(401)
    expect((await sent(owner.account.id, owner.at.webhook_secret, body)).status).toBe(200)
    const nobody = await sent(owner.tenant.id, owner.at.webhook_secret, body)
    expect([nobody.status, nobody.body.code]).toEqual([404, 'provider_not_found'])
  })

  test('an event about the object of another account changes nothing and asks nothing there', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    const { id } = await other.authorized()
    const [{ object = '' } = {}] = await other.at.effects()
    await other.at.control('config', { webhook_url: null })
    await other.at.ask(`payment_intents/${object}/cancel`, {})
    const event = eventAbout({ id: object })
    expect((await sent(owner.account.id, owner.at.webhook_secret, event)).status).toBe(200)
    await eventually('it was looked at', async () => {
      const open = await db().many(
        Type.Object({ event_id: Type.String() }),
        sql`
          select event_id from payments.provider_events
          where provider = ${`stripe:${owner.account.id}`} and processed_at is null`,
      )
      return open.length === 0
    })
    const seen = await db().many(
      Type.Object({ version: Type.Integer() }),
      sql`select version from payments.payment_intents where id = ${id}`,
    )
    expect(seen).toHaveLength(1)
    // Its own account reports the cancellation.
    expect((await other.reaches(id, 'cancelled')).state).toBe('cancelled')
  })

  test('a refund that names an operation of another tenant stays where it is', async () => {
    const [owner, victim] = await Promise.all([ownerIn(world), ownerIn(world)])
    const { id } = await victim.captured(5000)
    await victim.at.fault({ action: 'hang', match: { path: '/refunds', method: 'POST' }, times: 2 })
    const asked = await victim.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 500 })
    expect(asked.status, asked.text).toBe(202)
    const { operation_id } = asked.body
    await owner.captured(5000)
    const [{ object = '' } = {}] = await owner.at.effects()
    const made = await owner.at.ask('refunds', {
      payment_intent: object,
      amount: '500',
      'metadata[operation_id]': operation_id,
    })
    await eventually('it was looked at', async () => {
      const items = await db().many(
        Type.Object({ tenant_id: Type.String() }),
        sql`
          select tenant_id from payments.reconciliation_items where external_ref = ${made.id}`,
      )
      return items.length > 0 && items.every(one => one.tenant_id === owner.tenant.id)
    })
    const refund = await eventually('the true one ends', async () => {
      const { body } = await victim.ask('GET', `/v1/refunds/${asked.body.id}`)
      return body.state === 'succeeded' && body
    })
    expect(refund.amount_minor).toBe(500)
    const kinds = (await victim.at.effects()).map(one => one.kind)
    expect(kinds.filter(kind => kind === 'refund')).toHaveLength(1)
  })

  test('an account that is down keeps no other waiting', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    await owner.at.fault({ action: 'http', status: 503, times: 1_000_000 })
    const begun = await Promise.all(Array.from({ length: 12 }, () => owner.intent()))
    await Promise.all(
      begun.map(({ id }) =>
        owner.ask('POST', `/v1/payment-intents/${id}/authorize`, {
          payment_method: 'pm_card_visa',
        }),
      ),
    )
    const refused = await eventually('its breaker is open', async () => {
      const { id } = await owner.intent()
      const answer = await owner.ask('POST', `/v1/payment-intents/${id}/authorize`, {
        payment_method: 'pm_card_visa',
      })
      return answer.status === 503 && answer
    })
    expect(refused.body.code).toBe('payment_provider_unavailable')
    expect((await other.authorized()).state).toBe('authorized')
    expect((await (await world.merchant()).authorized()).state).toBe('authorized')
    await owner.at.control('faults', {}, 'DELETE')
    for (const { id } of begun) {
      const { state, pending_operation } = await owner.read(id)
      if (pending_operation || state === 'authorized') await owner.reaches(id, 'authorized')
    }
  })
})
