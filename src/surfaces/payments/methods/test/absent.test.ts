/** A bank that wants the absent payer: the payment goes to their page, and is made once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payerOf } from '../../pages/test/payer.ts'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  world = await openPaymentWorld()
  cards = cardsOf(world)
  payer = payerOf(world)
})
afterAll(() => world.close())

/** A payment of an absent payer whose bank wants them. */
async function wanted() {
  const shop = await cards.shop()
  const { method, customer } = await cards.saved(shop, 'pm_card_authenticationRequired')
  const { id } = await shop.intent()
  const absent = { payment_method: method.id, off_session: true }
  const refused = await cards.authorize(shop, id, absent)
  expect([refused.status, refused.body.code, refused.body.decline_code]).toEqual([
    422,
    'payment_declined',
    'authentication_required',
  ])
  expect((await shop.read(id)).last_error.decline_code).toBe('authentication_required')
  return { shop, id, customer, absent }
}

const challenge = async (id: string) =>
  await world.control('three_ds', { payment_intent: await cards.handle(id), outcome: 'succeed' })

test('its page pays it, once', async () => {
  const { shop, id, customer, absent } = await wanted()
  const asked = { amount_minor: 5000, currency: 'EUR', description: 'May', intent_id: id }
  const made = await shop.ask('POST', '/v1/payment-requests', asked)
  expect(made.body).toMatchObject({ intent_id: id, customer_id: customer.id, state: 'open' })
  // Meanwhile nobody else moves it.
  const beside = await cards.authorize(shop, id, absent)
  expect([beside.status, beside.body.code]).toEqual([409, 'intent_managed'])
  const second = await shop.ask('POST', '/v1/payment-requests', asked)
  expect([second.status, second.body.code]).toEqual([409, 'intent_managed'])

  const tried = await payer.pay(made.body.url, 'pm_card_authenticationRequired')
  expect(tried.body).toMatchObject({ state: 'processing' })
  expect((await shop.read(id)).state).toBe('requires_action')
  await challenge(id)
  await shop.reaches(id, 'captured')
  expect((await payer.state(made.body.url)).state).toBe('paid')
  expect(await cards.effects(id)).toEqual(['authorize', 'capture'])
})

test('a request that ends without a payment gives it back', async () => {
  const { shop, id } = await wanted()
  const { request } = await payer.asks({ amount_minor: 5000, intent_id: id }, shop)
  const ended = await shop.ask('POST', `/v1/payment-requests/${request.id}/cancel`)
  expect(ended.body.state).toBe('cancelled')
  const other = await cards.authorize(shop, id, { payment_method: 'pm_card_visa' })
  expect([other.status, other.body.state]).toEqual([200, 'authorized'])
  expect(await cards.effects(id)).toEqual(['authorize'])
})

test('a request for a payment has its amount, its currency and one use', async () => {
  const { shop, id } = await wanted()
  const asked = { amount_minor: 5000, currency: 'EUR', description: 'May', intent_id: id }
  const other = await cards.customer(shop)
  const wrong = [{ amount_minor: 1 }, { currency: 'USD' }, { uses: 2 }, { customer_id: other.id }]
  for (const one of wrong) {
    const answer = await shop.ask('POST', '/v1/payment-requests', { ...asked, ...one })
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  }
  const stranger = await cards.shop()
  const foreign = await stranger.ask('POST', '/v1/payment-requests', asked)
  expect([foreign.status, foreign.body.code]).toEqual([404, 'payment_intent_not_found'])
})

test('a payer who is known keeps the card on the page, and another payer does not', async () => {
  const shop = await cards.shop()
  const { id: customer_id } = await cards.customer(shop)
  const known = await payer.asks({ customer_id }, shop)
  const paid = await payer.pay(known.url, 'pm_card_visa', { save: true })
  expect(paid.status, JSON.stringify(paid.body)).toBeLessThan(300)
  expect(await cards.methods(shop)).toMatchObject([{ customer_id, state: 'active' }])
  const unknown = await payer.asks({}, shop)
  const refused = await payer.pay(unknown.url, 'pm_card_visa', { save: true })
  expect([refused.status, refused.body.code]).toEqual([422, 'customer_required'])
  const link = { uses: null, customer_id, currency: 'EUR', description: 'All' }
  const many = await shop.ask('POST', '/v1/payment-requests', link)
  expect([many.status, many.body.code]).toEqual([422, 'validation_failed'])
})
