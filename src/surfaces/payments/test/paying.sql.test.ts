/** A payment from its first request to its refund, as a merchant sees it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_OVERDRAFT_MINOR: '100' })
})
afterAll(() => world.close())

describe.concurrent('a payment', () => {
  test('is authorized, captured and refunded; ledger and events say the same', async () => {
    const shop = await world.merchant()
    const made = await shop.ask('POST', '/v1/payment-intents', {
      amount: '49.90',
      currency: 'EUR',
      order_ref: 'order-1',
      metadata: { cart: 'c1' },
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      state: 'requires_authorization',
      amount_minor: 4990,
      merchant_id: shop.tenant.id,
      version: 1,
    })
    expect(made.headers.get('location')).toBe(`/v1/payment-intents/${made.body.id}`)
    const { id } = made.body
    const held = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
      payment_method: 'pm_card_visa',
    })
    expect([held.status, held.body.state, held.body.amount_capturable_minor]).toEqual([
      200,
      'authorized',
      4990,
    ])
    expect(held.body.operations[0]).toMatchObject({ type: 'authorize', state: 'succeeded' })
    const taken = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    expect([taken.status, taken.body.state, taken.body.amount_captured_minor]).toEqual([
      200,
      'captured',
      4990,
    ])
    const given = await shop.ask('POST', '/v1/refunds', {
      intent_id: id,
      amount_minor: 990,
      reason: 'requested_by_customer',
    })
    expect([given.status, given.body.state]).toEqual([201, 'succeeded'])
    const seen = await shop.ask('GET', `/v1/refunds/${given.body.id}`)
    expect(seen.body).toEqual(given.body)
    const after = await shop.read(id)
    expect(after).toMatchObject({ state: 'captured', amount_refunded_minor: 990 })
    await world.allow(shop, 'kernel.audit_events.read')
    const audit = await shop.ask('GET', '/v1/audit-events?limit=100')
    const target = `refund:${given.body.id}`
    expect(audit.body.data).toContainEqual(
      expect.objectContaining({ target, reason: 'requested_by_customer' }),
    )
    const fee = Math.round(4990 * 0.029) + 30
    expect(await world.balances(shop)).toEqual({
      merchant_balance: 4990 - fee - 990,
      refunds_in_transit: 0,
    })
    expect(await world.events(id)).toEqual([
      'payment.created',
      'payment.authorized',
      'payment.captured',
      'refund.created',
      'refund.succeeded',
    ])
    await world.sound()
  })

  test('that is declined says why, and can be tried with another card', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const key = newKey()
    const authorize = (payment_method: string, given?: string) =>
      shop.ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method }, given)
    const refused = await authorize('pm_card_visa_chargeDeclinedInsufficientFunds', key)
    expect([refused.status, refused.body.code, refused.body.decline_code]).toEqual([
      422,
      'payment_declined',
      'insufficient_funds',
    ])
    const again = await authorize('pm_card_visa_chargeDeclinedInsufficientFunds', key)
    expect(again.body).toEqual({ ...refused.body, request_id: again.body.request_id })
    expect(await shop.read(id)).toMatchObject({
      state: 'requires_authorization',
      last_error: { code: 'card_declined', decline_code: 'insufficient_funds' },
    })
    const unknown = await authorize('pm_card_nothing')
    expect([unknown.status, unknown.body.code]).toEqual([422, 'payment_method_invalid'])
    expect((await authorize('pm_card_mastercard')).body.state).toBe('authorized')
  })

  test('may need the buyer: the challenge is shown, and its outcome arrives by webhook', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const asked = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
      payment_method: 'pm_card_authenticationRequired',
      return_url: 'https://shop.example/back',
    })
    expect([asked.status, asked.body.state, asked.body.next_action]).toEqual([
      200,
      'requires_action',
      null,
    ])
    const path = `/v1/payment-intents/${id}`
    await world.fault({ action: 'http', status: 500, match: { method: 'GET' }, times: 100 })
    const without = await world.call('GET', path, { token: shop.token })
    expect(without.body.next_action).toBeNull()
    await world.control('faults', {}, 'DELETE')
    const headers = { 'if-none-match': without.headers.get('etag') ?? '' }
    const { body } = await world.call('GET', path, { token: shop.token, headers })
    const { next_action } = body
    expect(next_action).toMatchObject({ type: 'redirect_to_url' })
    // A provider of later does not know the object of this one.
    const served = async (provider: string) => {
      await world.platform.kernel.db.run(sql`
        update payments.payment_intents set provider = ${provider}
        where tenant_id = ${shop.tenant.id} and id = ${id}`)
      return (await world.call('GET', path, { token: shop.token })).body.next_action
    }
    expect(await served('acme')).toBeNull()
    expect(await served('stripe')).toEqual(next_action)
    const bank = await fetch(`${next_action.url}/succeed`, { method: 'POST', redirect: 'manual' })
    expect(bank.headers.get('location')).toBe('https://shop.example/back')
    const held = await shop.reaches(id, 'authorized')
    expect(held.next_action).toBeNull()
    expect(await world.events(id)).toEqual([
      'payment.created',
      'payment.action_required',
      'payment.authorized',
    ])
  })

  test('whose challenge fails is declined', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
      payment_method: 'pm_card_threeDSecure2Required',
    })
    const next_action = await eventually('its challenge is known', async () => {
      const found = await shop.read(id)
      return found.next_action ?? undefined
    })
    await fetch(`${next_action.url}/fail`, { method: 'POST' })
    const back = await shop.reaches(id, 'requires_authorization')
    expect(back.last_error.code).toBe('payment_intent_authentication_failure')
  })

  test('is captured in part, and the rest is released', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized(10_000)
    const over = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {
      amount_minor: 10_001,
    })
    expect([over.status, over.body.code]).toEqual([409, 'amount_exceeds_capturable'])
    const part = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, { amount_minor: 4000 })
    expect(part.body).toMatchObject({ amount_captured_minor: 4000, amount_capturable_minor: 0 })
    for (const amount_minor of [4001, 999_999_999_999]) {
      const refund = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor })
      expect([refund.status, refund.body.code]).toEqual([409, 'refund_exceeds_captured'])
    }
    const twice = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    expect([twice.status, twice.body.code, twice.body.current_state]).toEqual([
      409,
      'invalid_transition',
      'captured',
    ])
  })

  test('is refunded once by two people who saw it at the same moment', async () => {
    const shop = await world.merchant()
    const { id, version } = await shop.captured(4000)
    const body = { intent_id: id, amount_minor: 1000 }
    const headers = { 'if-match': `"${version}"` }
    const refund = (key: string) =>
      world.call('POST', '/v1/refunds', { token: shop.token, key, body, headers })
    const keys = [newKey(), newKey()]
    const both = await Promise.all(keys.map(refund))
    const refused = both.filter(({ status }) => status === 412)
    expect([both.map(({ status }) => status), refused.length]).toEqual([
      expect.arrayContaining([201, 412]),
      1,
    ])
    // A retry under the key gets the refund again, although the payment has changed by it.
    const again = await Promise.all(keys.map(refund))
    expect(again.map(({ status }) => status)).toEqual(both.map(({ status }) => status))
    expect(await shop.read(id)).toMatchObject({ amount_refunded_minor: 1000 })
    await world.sound()
  })

  test('is cancelled before, during and after its authorization', async () => {
    const shop = await world.merchant()
    const fresh = await shop.intent()
    const cancel = (id: string) => shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
    expect((await cancel(fresh.id)).body.state).toBe('cancelled')
    const again = await cancel(fresh.id)
    expect([again.status, again.body.state]).toEqual([200, 'cancelled'])
    const held = await shop.authorized()
    expect((await cancel(held.id)).body).toMatchObject({
      state: 'cancelled',
      cancellation_reason: 'requested',
    })
    const waiting = await shop.authorized(5000, 'pm_card_authenticationRequired')
    expect((await cancel(waiting.id)).body.state).toBe('cancelled')
    const taken = await shop.captured()
    expect((await cancel(taken.id)).body.code).toBe('invalid_transition')
    await world.sound()
  })

  test('requests with one key by others, or for something else: each has its own effect', async () => {
    const [shop, other] = [await world.merchant(), await world.merchant()]
    const key = newKey()
    const body = { amount_minor: 700, currency: 'EUR' }
    const [mine, theirs] = [
      await shop.ask('POST', '/v1/payment-intents', body, key),
      await other.ask('POST', '/v1/payment-intents', body, key),
    ]
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.id).not.toBe(mine.body.id)
    const path = `/v1/payment-intents/${mine.body.id}`
    const held = await shop.ask(
      'POST',
      `${path}/authorize`,
      { payment_method: 'pm_card_visa' },
      key,
    )
    const taken = await shop.ask('POST', `${path}/capture`, {}, key)
    expect([held.body.state, taken.body.state]).toEqual(['authorized', 'captured'])
  })

  test('captures and refunds take a decimal amount as a payment does', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized(4990)
    const taken = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, { amount: '40.00' })
    expect([taken.status, taken.body.amount_captured_minor]).toEqual([200, 4000])
    const refund = async (part: object) => {
      const { status, body } = await shop.ask('POST', '/v1/refunds', { intent_id: id, ...part })
      return [status, body.amount_minor ?? body.code]
    }
    expect(await refund({ amount: '20.00', amount_minor: 2000 })).toEqual([422, 'amount_ambiguous'])
    expect(await refund({ amount: '20.001' })).toEqual([422, 'amount_precision'])
    expect(await refund({ amount: '0.00' })).toEqual([422, 'amount_too_small'])
    expect(await refund({ amount: '20.00' })).toEqual([201, 2000])
    expect(await shop.read(id)).toMatchObject({ amount_refunded_minor: 2000 })
  })

  test('refunds that take the balance further below zero than is allowed', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured(10_000)
    const refund = (amount_minor: number) =>
      shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor })
    expect((await refund(9700)).status).toBe(201)
    // The fee of 320 has left a balance of -20.
    const over = await Promise.all([refund(60), refund(60)])
    const codes = over.map(one => String(one.body.code ?? one.status)).toSorted()
    expect(codes).toEqual(['201', 'balance_insufficient'])
  })
})

test('an authorization that is cancelled is no decline', async () => {
  const shop = await world.merchant()
  const authorize = async (payment_method: string) => {
    const { id } = await shop.intent()
    return await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method })
  }
  for (let at = 0; at < 11; at++) {
    const asked = await authorize('pm_card_authenticationRequired')
    expect([asked.status, asked.body.state]).toEqual([200, 'requires_action'])
    await shop.ask('POST', `/v1/payment-intents/${asked.body.id}/cancel`, {})
  }
  expect((await authorize('pm_card_visa')).status).toBe(200)
})
