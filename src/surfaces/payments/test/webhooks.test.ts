/** Webhooks of the provider: only genuine ones are stored, and what they say is never believed. */
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: 'whsec_new,whsec_old',
    PAYMENTS_EVENT_CATCHUP_SECONDS: '1',
  })
  await world.control('config', { secrets: ['whsec_new'] })
})
afterAll(() => world.close())

const now = () => Math.floor(Date.now() / 1000)
const event = (id = `evt_${newId()}`) =>
  JSON.stringify({
    id,
    object: 'event',
    type: 'payment_intent.succeeded',
    created: now(),
    data: { object: { id: 'pi_of_nobody', object: 'payment_intent', status: 'succeeded' } },
  })
const mac = (secret: string, t: number, body: string) =>
  createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
const send = (body: string, signature: string) =>
  world.call('POST', '/v1/providers/stripe/webhooks', {
    body,
    headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
  })
async function stored(id: string): Promise<number> {
  const rows = await world.platform.kernel.db.many(
    Type.Object({ event_id: Type.String() }),
    sql`select event_id from payments.provider_events where event_id = ${id}`,
  )
  return rows.length
}

describe.concurrent('a webhook', () => {
  test('of any live secret is stored once, however often it comes', async () => {
    for (const secret of ['whsec_new', 'whsec_old']) {
      const id = `evt_${newId()}`
      const body = event(id)
      const t = now()
      const signature = `t=${t},v1=${mac(secret, t, body)},v0=nonsense`
      const answers = await Promise.all(Array.from({ length: 5 }, () => send(body, signature)))
      expect(answers.map(one => one.status)).toEqual([200, 200, 200, 200, 200])
      expect(answers[0]?.body).toEqual({ received: true })
      expect(await stored(id)).toBe(1)
    }
  })

  test.each([
    ['a forged one', (t: number, body: string) => `t=${t},v1=${mac('whsec_wrong', t, body)}`],
    ['one with v0 only', (t: number, body: string) => `t=${t},v0=${mac('whsec_new', t, body)}`],
    [
      'one of another text',
      (t: number, body: string) => `t=${t},v1=${mac('whsec_new', t, `${body} `)}`,
    ],
    ['one without signature', () => ''],
  ] as const)('%s is refused', async (_name, sign) => {
    const id = `evt_${newId()}`
    const body = event(id)
    const answer = await send(body, sign(now(), body))
    expect([answer.status, answer.body.code]).toEqual([401, 'signature_invalid'])
    expect(await stored(id)).toBe(0)
  })

  test.each([-301, 400])('of a time %i s away is refused', async shift => {
    const id = `evt_${newId()}`
    const body = event(id)
    const t = now() + shift
    const answer = await send(body, `t=${t},v1=${mac('whsec_new', t, body)}`)
    expect([answer.status, answer.body.code]).toEqual([401, 'timestamp_out_of_window'])
    expect(await stored(id)).toBe(0)
  })

  test('that cannot be read, is too large or is for no account says so', async () => {
    const sign = (body: string) => `t=${now()},v1=${mac('whsec_new', now(), body)}`
    const unreadable = await send('{"id":1}', sign('{"id":1}'))
    expect([unreadable.status, unreadable.body.code]).toEqual([400, 'envelope_invalid'])
    for (const id of ['evt_\0', 'evt_\ud800']) {
      const body = event(id)
      const unstorable = await send(body, sign(body))
      expect([unstorable.status, unstorable.body.code]).toEqual([400, 'envelope_invalid'])
    }
    const large = JSON.stringify({ filler: 'x'.repeat(300_000) })
    expect((await send(large, sign(large))).status).toBe(413)
    const elsewhere = await world.call('POST', '/v1/providers/nobody/webhooks', { body: '{}' })
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'provider_not_found'])
  })
})

describe('what webhooks say', () => {
  test('overtaking the response, or five times at once, is one move', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    await world.fault({
      action: 'before_response',
      match: { type: 'payment_intent.amount_capturable_updated' },
    })
    await world.fault({ action: 'concurrent', n: 5, match: { type: 'charge.succeeded' } })
    const held = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
      payment_method: 'pm_card_visa',
    })
    expect([held.status, held.body.state]).toEqual([200, 'authorized'])
    await world.control('deliveries/flush')
    expect(await world.events(id)).toEqual(['payment.created', 'payment.authorized'])
  })

  test('in reverse order changes nothing', async () => {
    const shop = await world.merchant()
    await world.fault({ action: 'reorder', match: { type: 'charge.succeeded' } })
    const { id } = await shop.authorized()
    await shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
    await world.control('deliveries/flush')
    expect((await shop.read(id)).state).toBe('cancelled')
    expect(await world.events(id)).toEqual([
      'payment.created',
      'payment.authorized',
      'payment.released',
    ])
  })

  test('is looked up where all of them are lost', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized(5000, 'pm_card_authenticationRequired')
    await world.fault({ action: 'drop', times: 10 })
    const { next_action } = await shop.read(id)
    await fetch(`${next_action.url}/succeed`, { method: 'POST' })
    const held = await shop.reaches(id, 'authorized')
    await world.control('faults', {}, 'DELETE')
    expect(held.amount_capturable_minor).toBe(5000)
  })

  test('about an authorization that lapsed at the provider releases it', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized()
    await world.control('clock', { advance_s: 8 * 86_400 })
    const over = await shop.reaches(id, 'cancelled')
    expect(over.cancellation_reason).toBe('authorization_expired')
    const late = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    expect([late.status, late.body.code]).toEqual([409, 'authorization_expired'])
  })

  test('about a refund that bounces days later puts the money back', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured(10_000, 'pm_card_refundFail')
    const before = await world.balances(shop)
    const { body } = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 4000 })
    expect(body.state).toBe('succeeded')
    await world.control('clock', { advance_s: 4 * 86_400 })
    await eventually('it has failed', async () => {
      const refund = await shop.ask('GET', `/v1/refunds/${body.id}`)
      return refund.body.state === 'failed'
    })
    expect(await world.balances(shop)).toEqual({ ...before, refunds_in_transit: 0 })
    expect((await shop.read(id)).amount_refunded_minor).toBe(0)
    expect((await world.events(id)).slice(-3)).toEqual([
      'refund.created',
      'refund.succeeded',
      'refund.failed',
    ])
  })

  test('about a pending refund is its end', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured(10_000, 'pm_card_pendingRefund')
    const { status, body } = await shop.ask('POST', '/v1/refunds', { intent_id: id })
    expect([status, body.state]).toEqual([201, 'pending'])
    await world.control('clock', { advance_s: 10 })
    await eventually('it has succeeded', async () => {
      const refund = await shop.ask('GET', `/v1/refunds/${body.id}`)
      return refund.body.state === 'succeeded'
    })
    await expect(world.sound()).resolves.toBeUndefined()
  })
})
