/** A buyer chooses at the checkout between the providers that are offered, and no other one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerAccountOf } from '../../../payments/accounts/test/account-world.ts'
import { openPayPalShop } from '../../test/paypal-shop.ts'

type World = Awaited<ReturnType<typeof openPayPalShop>>
let at: World
beforeAll(async () => {
  at = await openPayPalShop()
})
afterAll(() => at.world.close())

const payment = { payment_method: 'paypal', return_url: 'https://shop.test/back' }
const email = 'buyer@example.test'

async function cartOf(shop = at.shop) {
  const buyer = await shop.guest()
  const sku = await shop.product({ amount_minor: 1000, stock: 3 })
  return { buyer, sku, cart: await buyer.cart({ [sku]: 1 }) }
}

test('the options name both accounts, and those of a tenant only its own', async () => {
  const { buyer } = await cartOf()
  const path = '/v1/payment-options?amount_minor=1000&currency=EUR'
  const { body } = await buyer.ask('GET', path)
  expect(body.options).toMatchObject([
    { provider: 'stripe', account: 'platform', payment_account_id: null },
    { provider: 'paypal', account: 'platform', script_url: null },
  ])
  const shop = await at.world.shop()
  const own = await ownerAccountOf(at.world, shop.manager, 'mine')
  const offered = (await (await shop.guest()).ask('GET', path)).body.options
  expect(offered).toMatchObject([
    { provider: 'stripe', account: 'mine', payment_account_id: own.id },
  ])
  expect(offered).toHaveLength(1)
  expect((await at.world.call('GET', path)).body.options).toHaveLength(2)
})

test('an order is paid at PayPal: approved, shipped, returned; and says so', async () => {
  const { buyer, cart } = await cartOf()
  const begun = await buyer.checkout(cart, { email, payment: { ...payment, provider: 'paypal' } })
  expect([begun.status, begun.body.state]).toEqual([202, 'pending'])
  const { id } = begun.body
  await buyer.pays(id, 'requires_action')
  const step = (await buyer.ask('GET', `/v1/orders/${id}/next-action`)).body
  expect(step.url).toContain('/checkoutnow?token=')
  await at.approve(id)
  const order = await buyer.reaches(id, 'confirmed')
  expect(order.payment).toMatchObject({ provider: 'paypal', state: 'authorized' })
  expect((await at.shop.ship(order)).status).toBeLessThan(300)
  await buyer.pays(id, 'captured')
  expect(await at.moneyOf([id])).toEqual(['authorization', 'capture'])
  await at.shop.sound()
})

test('without a choice a card pays at the usual account, also of two', async () => {
  const { buyer, cart } = await cartOf()
  const done = await buyer.checkout(cart, { email, payment: { payment_method: 'pm_card_visa' } })
  expect([done.status, done.body.payment.provider]).toEqual([201, 'stripe'])
})

test('what is not offered is refused, and nothing is ordered', async () => {
  const { buyer, cart, sku } = await cartOf()
  for (const [more, code, pointer] of [
    [{ provider: 'mollie' }, 'provider_unsupported', '/payment/provider'],
    [{ account: 'nobody' }, 'payment_account_unusable', '/payment/account'],
  ] as const) {
    const { status, body } = await buyer.checkout(cart, { email, payment: { ...payment, ...more } })
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, code, pointer])
  }
  expect(await at.shop.stock(sku)).toMatchObject({ reserved: 0 })
})

test('a tenant with an own account: nobody sends its money to the platform, or to a closing account', async () => {
  const shop = await at.world.shop()
  await ownerAccountOf(at.world, shop.manager, 'mine')
  const { buyer, cart } = await cartOf(shop)
  for (const more of [{ account: 'platform' }, { provider: 'paypal' }]) {
    const { status } = await buyer.checkout(cart, { email, payment: { ...payment, ...more } })
    expect(status).toBe(422)
  }
  const paid = { payment_method: 'pm_card_visa', account: 'mine' }
  const held = await cartOf(shop)
  const order = await held.buyer.checkout(held.cart, { email, payment: paid })
  expect(order.status, order.text).toBe(201)
  const closing = await shop.manager.ask('DELETE', '/v1/payment-accounts/mine')
  expect(closing.status).toBe(204)
  const late = await buyer.checkout(cart, { email, payment: paid })
  expect([late.status, late.body.code]).toEqual([422, 'payment_account_unusable'])
  expect((await buyer.ask('GET', '/v1/orders')).body.data).toEqual([])
})

test('an amount that PayPal cannot express is refused there, and a card takes it', async () => {
  const { buyer } = await cartOf()
  const sku = await at.shop.product({ amount_minor: 1000, requires_shipping: false })
  const price = { sku, currency: 'HUF', amount_minor: 123_450 }
  expect((await at.shop.manager.ask('POST', '/v1/price-versions', price)).status).toBe(201)
  const { id: cart } = (await buyer.ask('POST', '/v1/carts', { currency: 'HUF' })).body
  await buyer.ask('PUT', `/v1/carts/${cart}/items/${sku}`, { quantity: 1 })
  const at_paypal = { ...payment, provider: 'paypal' }
  const refused = await buyer.checkout(cart, { email, payment: at_paypal })
  expect([refused.status, refused.body.code]).toEqual([422, 'amount_not_representable'])
  expect(refused.body.step_minor).toBe(100)
  const card = await buyer.checkout(cart, { email, payment: { payment_method: 'pm_card_visa' } })
  expect(card.status, card.text).toBe(201)
})
