/** PayPal as the second provider: approved there, held and taken by us, in the same books. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openPayPalWorld, return_url, type PayPalWorld } from './paypal-world.ts'

let world: PayPalWorld
beforeAll(async () => {
  world = await openPayPalWorld()
})
afterAll(() => world.close())

const kinds = async (order: string) => (await world.at.effects(order)).map(one => one.kind)

test('a payer approves at PayPal, and then the money is held, taken and given back', async () => {
  const shop = await world.merchant()
  const { id, state } = await world.asked(shop)
  const { next_action } = await shop.read(id)
  const order = await world.handleOf(shop, id)
  expect([state, next_action.type]).toEqual(['requires_action', 'redirect'])
  expect(next_action.url).toContain(`/checkoutnow?token=${order}`)
  expect(await kinds(order)).toEqual([])
  await world.at.approve(order)
  const held = await shop.reaches(id, 'authorized')
  expect(held.amount_authorized_minor).toBe(5000)
  const taken = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, { amount_minor: 4200 })
  expect([taken.status, taken.body.state]).toEqual([200, 'captured'])
  const given = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 1200 })
  expect([given.status, given.body.state]).toEqual([201, 'succeeded'])
  const effects = await world.at.effects(order)
  expect(effects.map(one => [one.kind, one.amount.value])).toEqual([
    ['authorization', '50.00'],
    ['capture', '42.00'],
    ['refund', '12.00'],
  ])
  expect(new Set(effects.map(one => one.key)).size).toBe(3)
  expect(await world.events(id)).toEqual([
    'payment.created',
    'payment.action_required',
    'payment.authorized',
    'payment.captured',
    'refund.created',
    'refund.succeeded',
  ])
  // A fee of 3 % of 42.00.
  const balances = await world.balances(shop)
  expect(balances['merchant_balance']).toBe(4200 - 126 - 1200)
  await world.sound()
})

test('a payment that waits for approval, or is approved meanwhile, is closed for certain', async () => {
  const shop = await world.merchant()
  const { id } = await world.asked(shop)
  const cancelled = await shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
  expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
  const order = await world.handleOf(shop, id)
  await world.at.approve(order)
  const held = await world.authorized(shop)
  const voided = await shop.ask('POST', `/v1/payment-intents/${held.id}/cancel`, {})
  expect([voided.status, voided.body.state]).toEqual([200, 'cancelled'])
  expect(await kinds(await world.handleOf(shop, held.id))).toEqual(['authorization', 'void'])
  // The approval of the first one came to a payment that has ended.
  expect(await kinds(order)).toEqual([])
  expect((await shop.read(id)).state).toBe('cancelled')
  await world.sound()
})

test('what PayPal refuses after the approval is a decline', async () => {
  const shop = await world.merchant()
  const { id } = await world.asked(shop)
  await world.at.fault({ to: 'authorize', mode: 'decline' })
  const order = await world.handleOf(shop, id)
  await world.at.approve(order)
  const declined = await shop.reaches(id, 'requires_authorization')
  expect(declined.last_error.code).toBe('payer_cannot_pay')
  expect(await kinds(order)).toEqual([])
  // The same order may be approved with another source.
  const again = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
    payment_method: 'paypal',
    return_url,
  })
  expect([again.status, again.body.state]).toEqual([200, 'requires_action'])
  await world.at.approve(order)
  await shop.reaches(id, 'authorized')
  expect(await kinds(order)).toEqual(['authorization'])
})

test('an order that PayPal has forgotten ends its payment', async () => {
  const shop = await world.merchant()
  const { id } = await world.asked(shop)
  await world.at.control('forget', { order: await world.handleOf(shop, id) })
  const cancelled = await shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
  expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
})

test('amounts are exact in each currency, and what PayPal cannot express is refused', async () => {
  const shop = await world.merchant()
  const create = (amount_minor: number, currency: string, provider = 'paypal') =>
    shop.ask('POST', '/v1/payment-intents', { amount_minor, currency, provider })
  for (const [minor, currency] of [
    [1250, 'HUF'],
    [1250, 'TWD'],
    [5000, 'KWD'],
  ] as const) {
    const { status, body } = await create(minor, currency)
    expect([status, body.code]).toEqual([422, 'amount_not_representable'])
  }
  expect((await create(1250, 'HUF', 'stripe')).status).toBe(201)
  const { id } = await world.captured(shop, { amount_minor: 120_000, currency: 'HUF' })
  const part = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 50 })
  expect(part.body.code).toBe('amount_not_representable')
  const yen = await world.captured(shop, { amount_minor: 1201, currency: 'JPY' })
  const values = async (one: string) =>
    (await world.at.effects(await world.handleOf(shop, one))).map(({ amount }) => amount.value)
  expect(await values(id)).toEqual(['1200', '1200'])
  expect(await values(yen.id)).toEqual(['1201', '1201'])
  await world.sound()
})

test('another payment method, or none to come back to, is refused without an approval', async () => {
  const shop = await world.merchant()
  const { id } = await shop.intent({ provider: 'paypal' })
  const authorize = (body: object) => shop.ask('POST', `/v1/payment-intents/${id}/authorize`, body)
  const card = await authorize({ payment_method: 'pm_card_visa', return_url })
  expect([card.status, card.body.code]).toEqual([422, 'payment_method_invalid'])
  const nowhere = await authorize({ payment_method: 'paypal' })
  expect(nowhere.body.decline_code).toBe('return_url_required')
})

test('an approval is found when every webhook is lost', async () => {
  const shop = await world.merchant()
  await world.at.control('config', { webhook_url: null })
  const { id } = await world.asked(shop)
  await world.at.approve(await world.handleOf(shop, id))
  const catchUp = world.platform.opened['payments']?.loops?.find(
    one => one.name === 'payments.event_catchup',
  )
  await eventually('it is found', async () => {
    await catchUp?.run(new AbortController().signal)
    return (await shop.read(id)).state === 'authorized'
  })
  await world.at.control('config', { webhook_url: `${world.url}/v1/providers/paypal/webhooks` })
  expect(await kinds(await world.handleOf(shop, id))).toEqual(['authorization'])
})
