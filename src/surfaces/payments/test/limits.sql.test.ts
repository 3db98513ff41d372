/** Races, keys, amounts and foreign ids. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { storedKey } from '../../../kernel/idempotency/records.ts'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({
    PAYMENTS_DECLINES_PER_HOUR: '10',
    PAYMENTS_OVERDRAFT_MINOR: '100',
  })
})
afterAll(() => world.close())

describe.concurrent('of many at once', () => {
  test('captures and cancellations: one wins', async () => {
    const shop = await world.merchant()
    for (let round = 0; round < 8; round++) {
      const { id } = await shop.authorized()
      const answers = await Promise.all(
        ['capture', 'capture', 'cancel'].map(action =>
          shop.ask('POST', `/v1/payment-intents/${id}/${action}`, {}),
        ),
      )
      const won = answers.filter(one => one.status === 200)
      expect(won).toHaveLength(1)
      for (const lost of answers.filter(one => one.status !== 200)) {
        expect([409, lost.body.code]).toEqual([
          lost.status,
          expect.stringMatching(/pending|transition/),
        ])
      }
    }
  })

  test('refunds: never more than was captured', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured(100)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 20 }),
      ),
    )
    const codes = answers.map(one => String(one.body.code ?? one.status)).toSorted()
    expect(codes).toEqual([
      ...Array.from({ length: 5 }, () => '201'),
      ...Array.from({ length: 5 }, () => 'refund_exceeds_captured'),
    ])
    expect((await shop.read(id)).amount_refunded_minor).toBe(100)
  })

  test('requests with one key: one effect, one outcome', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const key = newKey()
    const authorize = () =>
      shop.ask(
        'POST',
        `/v1/payment-intents/${id}/authorize`,
        { payment_method: 'pm_card_visa' },
        key,
      )
    // On a busy machine some get 409 because the first is still under way, and ask again.
    const ended = () =>
      eventually('the outcome of the key', async () => {
        const answer = await authorize()
        return answer.body.code !== 'idempotency_in_progress' && answer
      })
    const answers = await Promise.all(Array.from({ length: 20 }, ended))
    expect(new Set(answers.map(one => one.text)).size).toBe(1)
    expect(answers[0]?.body.state).toBe('authorized')
    const other = await shop.ask(
      'POST',
      `/v1/payment-intents/${id}/authorize`,
      { payment_method: 'pm_card_mastercard' },
      key,
    )
    expect(other.body.code).toBe('idempotency_key_reused')
    // The recorded outcome is gone; the operation still belongs to its key.
    const { db } = world.platform.kernel
    await db.run(sql`delete from kernel.idempotency_records where key = ${storedKey(key)}`)
    const much_later = await authorize()
    expect([much_later.status, much_later.body.state]).toEqual([200, 'authorized'])
    expect((await shop.read(id)).operations).toHaveLength(2)
    await db.run(sql`delete from kernel.idempotency_records where key = ${storedKey(key)}`)
    const { id: second } = await shop.intent()
    const reused = await shop.ask(
      'POST',
      `/v1/payment-intents/${second}/authorize`,
      { payment_method: 'pm_card_visa' },
      key,
    )
    expect([reused.status, reused.body.code]).toEqual([409, 'idempotency_key_reused'])
  })
})

describe.concurrent('amounts', () => {
  test.each([
    [{ amount: '12.34', currency: 'USD' }, 201, 1234],
    [{ amount: '0.5', currency: 'JPY' }, 422, 'amount_precision'],
    [{ amount: '12.345', currency: 'USD' }, 422, 'amount_precision'],
    [{ amount: '1e3', currency: 'USD' }, 422, 'validation_failed'],
    [{ amount: '0.00', currency: 'USD' }, 422, 'amount_too_small'],
    [{ amount: '1.001', currency: 'KWD' }, 422, 'amount_not_representable'],
    [{ amount: '1.010', currency: 'KWD' }, 201, 1010],
    [{ amount: '5.01', currency: 'MGA' }, 422, 'amount_not_representable'],
    [{ amount: '5', currency: 'MGA' }, 201, 500],
    [{ amount: '700', currency: 'ISK' }, 201, 700],
    [{ amount_minor: 2 ** 53 + 2, currency: 'USD' }, 422, 'validation_failed'],
    [{ amount_minor: 9_007_199_254_740_991, currency: 'USD' }, 422, 'amount_too_large'],
    [{ amount: '9999999999999.99', currency: 'USD' }, 422, 'amount_too_large'],
    [{ amount_minor: 100, amount: '1.00', currency: 'USD' }, 422, 'amount_ambiguous'],
    [{ currency: 'USD' }, 422, 'amount_ambiguous'],
    [{ amount_minor: 0, currency: 'USD' }, 422, 'validation_failed'],
    [{ amount_minor: 100, currency: 'XYZ' }, 422, 'currency_unknown'],
    [{ amount_minor: 100, currency: 'EUR', provider: 'other' }, 422, 'provider_unsupported'],
  ])('%o', async (body, status, expected) => {
    const shop = await world.merchant()
    const answer = await shop.ask('POST', '/v1/payment-intents', body)
    expect([answer.status, answer.body.code ?? answer.body.amount_minor]).toEqual([
      status,
      expected,
    ])
    expect(answer.body.errors ?? []).toHaveLength(status === 422 ? 1 : 0)
  })

  test.each([
    [{ amount: '0.00' }, 'amount_too_small', '/amount'],
    [{ amount: '1.2345' }, 'amount_precision', '/amount'],
    [{ amount: '1.00', amount_minor: 100 }, 'amount_ambiguous', '/amount'],
    [{ amount_minor: 1001 }, 'amount_not_representable', '/amount_minor'],
    [{ amount: '1.001' }, 'amount_not_representable', '/amount'],
  ])('of a capture or a refund, %o', async (body, code, pointer) => {
    const shop = await world.merchant()
    const { id } = await shop.intent({ currency: 'KWD', amount_minor: 2000 })
    const on = `/v1/payment-intents/${id}`
    await shop.ask('POST', `${on}/authorize`, { payment_method: 'pm_card_visa' })
    const part = await shop.ask('POST', `${on}/capture`, body)
    expect([part.status, part.body]).toMatchObject([422, { code, errors: [{ pointer }] }])
    expect((await shop.ask('POST', `${on}/capture`, {})).status).toBe(200)
    const refund = await shop.ask('POST', '/v1/refunds', { intent_id: id, ...body })
    expect([refund.status, refund.body]).toMatchObject([422, { code, errors: [{ pointer }] }])
  })

  test('that the provider counts otherwise come through exactly', async () => {
    const shop = await world.merchant()
    for (const [currency, amount_minor] of [
      ['ISK', 700],
      ['MGA', 500],
      ['KWD', 1010],
      ['JPY', 88],
    ] as const) {
      const { id } = await shop.intent({ currency, amount_minor })
      await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
        payment_method: 'pm_card_visa',
      })
      const taken = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
      expect(taken.body.amount_captured_minor).toBe(amount_minor)
    }
  })
})

describe.concurrent('what is refused', () => {
  test('a card number, wherever it stands', async () => {
    const shop = await world.merchant()
    const base = { amount_minor: 100, currency: 'EUR' }
    for (const [more, pointer] of [
      [{ metadata: { note: 'card 4242 4242 4242 4242' } }, '/metadata/note'],
      [{ metadata: { '4242 4242 4242 4242': 'card' } }, '/metadata'],
      [{ order_ref: '5555555555554444' }, '/order_ref'],
      [{ cards: [{}, { number: '378282246310005' }] }, '/cards/1/number'],
      [{ card: 4_242_424_242_424_242 }, '/card'],
    ] as const) {
      const answer = await shop.ask('POST', '/v1/payment-intents', { ...base, ...more })
      expect([answer.status, answer.body.code]).toEqual([422, 'card_data_refused'])
      expect(answer.body.errors).toMatchObject([{ location: 'body', pointer }])
      expect(answer.text).not.toContain('4242')
    }
    const fine = { ...base, order_ref: '4242424242424241' }
    expect((await shop.ask('POST', '/v1/payment-intents', fine)).status).toBe(201)
  })

  test('another tenant: all ids are absent and all lists are empty', async () => {
    const [shop, stranger] = [await world.merchant(), await world.merchant()]
    const { id } = await shop.captured()
    const refund = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 100 })
    const { body } = await shop.ask('GET', '/v1/ledger/accounts')
    const reads = [
      `/v1/payment-intents/${id}`,
      `/v1/refunds/${refund.body.id}`,
      `/v1/ledger/accounts/${body.data[0].id}`,
    ]
    for (const path of reads) expect((await stranger.ask('GET', path)).status).toBe(404)
    const foreign = await stranger.ask('POST', '/v1/refunds', { intent_id: id })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'payment_intent_not_found'])
    for (const action of ['authorize', 'capture', 'cancel']) {
      const body_of = action === 'authorize' ? { payment_method: 'pm_card_visa' } : {}
      const answer = await stranger.ask('POST', `/v1/payment-intents/${id}/${action}`, body_of)
      expect(answer.status).toBe(404)
    }
    for (const list of ['payment-intents', 'disputes', 'ledger/transactions', 'settlements']) {
      expect((await stranger.ask('GET', `/v1/${list}?limit=100`)).body.data).toEqual([])
    }
  })

  test("the books of the platform, for those who may only see their tenant's", async () => {
    const shop = await world.merchant()
    await shop.captured()
    const { body } = await shop.ask('GET', '/v1/ledger/accounts?owner=platform')
    const finance = await world.member()
    await world.allow(finance, 'payments.ledger.read')
    const read = (path: string) => world.call('GET', path, { token: finance.token })
    for (const list of ['accounts', 'transactions']) {
      const answer = await read(`/v1/ledger/${list}?owner=platform`)
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    }
    expect((await read(`/v1/ledger/accounts/${body.data[0].id}`)).status).toBe(404)
  })

  test('a payment method that is unknown or declined: the error names the member', async () => {
    const shop = await world.merchant()
    for (const [payment_method, code] of [
      ['pm_of_nobody', 'payment_method_invalid'],
      ['pm_card_visa_chargeDeclined', 'payment_declined'],
    ]) {
      const { id } = await shop.intent()
      const on = `/v1/payment-intents/${id}/authorize`
      const { status, body } = await shop.ask('POST', on, { payment_method })
      const errors = [{ location: 'body', pointer: '/payment_method' }]
      expect([status, body]).toMatchObject([422, { code, errors }])
    }
  })

  test('an eleventh card within an hour', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const attempt = () =>
      shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
        payment_method: 'pm_card_visa_chargeDeclined',
      })
    for (let tries = 0; tries < 10; tries++) expect((await attempt()).status).toBe(422)
    const tested = await attempt()
    expect([tested.status, tested.body.code]).toEqual([429, 'rate_limited'])
  })
})
