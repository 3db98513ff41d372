/** Orders that meet their end: late payments, lost answers, authorizations that lapse, clocks that are wrong. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizeAtExpiry } from './expiry.ts'
import { openShopWorld, visa, type Shop, type ShopWorld } from './shop-world.ts'

const ttl_seconds = 5

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({
    COMMERCE_RESERVATION_TTL_SECONDS: String(ttl_seconds),
    COMMERCE_PAYMENT_WAIT_MS: '20000',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
  })
  shop = await world.shop()
})
afterAll(() => world.close())

test('an authorization at the moment of the expiry: one of them wins, and a lost order holds no money', async () => {
  const ended = await authorizeAtExpiry(world, shop, { rounds: 6, ttl_seconds })
  expect(ended).toHaveLength(6)
}, 60_000)

describe('a lost answer of the provider', () => {
  test('leaves the order pending until it is certain, with one authorization', async () => {
    const buyer = await shop.buyer()
    const cart = await buyer.cart({ [await shop.product()]: 1 })
    await world.fault({
      action: 'http',
      status: 500,
      after_effect: true,
      match: { path: '/confirm' },
    })
    const answer = await buyer.checkout(cart)
    expect([answer.status, answer.body.status, answer.body.state]).toEqual([
      202,
      'pending',
      'pending',
    ])
    await buyer.reaches(answer.body.id, 'confirmed')
    expect(await shop.money(answer.body.id)).toEqual(['authorize'])
    const second = await buyer.checkout(cart)
    expect(second.body).toMatchObject({ code: 'cart_not_open', order_id: answer.body.id })
  })

  test('at the capture keeps the goods here until it is certain', async () => {
    const buyer = await shop.buyer()
    const sku = await shop.product({ stock: 1 })
    const order = await buyer.order({ [sku]: 1 })
    await world.fault({
      action: 'http',
      status: 500,
      after_effect: true,
      match: { path: '/capture' },
    })
    const answer = await shop.ship(order)
    expect([answer.status, answer.body.status, answer.body.state]).toEqual([
      202,
      'pending',
      'awaiting_capture',
    ])
    const cancelled = await buyer.ask('POST', `/v1/orders/${order.id}/cancel`, {})
    expect([200, 409]).toContain(cancelled.status)
    await buyer.reaches(order.id, 'fulfilled')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
    expect(await shop.stock(sku)).toMatchObject({ on_hand: 0, reserved: 0 })
  })
})

test('a pending order without a payment expires, and its goods and cart are free', async () => {
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const cart = await buyer.cart({ [sku]: 1 })
  const asked = await buyer.checkout(cart, {
    payment: { payment_method: 'pm_card_authenticationRequired' },
  })
  expect(asked.status).toBe(202)
  await buyer.reaches(asked.body.id, 'expired')
  await buyer.pays(asked.body.id, 'released')
  expect((await buyer.checkout(cart)).status).toBe(201)
  await shop.sound()
})

test('an authorization that lapsed cannot be shipped, and nothing moves', async () => {
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const order = await buyer.order({ [sku]: 1 }, visa)
  expect(order.payment.authorization_expires_at).not.toBeNull()
  await world.control('clock', { advance_s: 8 * 86_400 })
  await buyer.pays(order.id, 'released')
  const refused = await shop.ship(order)
  expect([refused.status, refused.body.code]).toEqual([409, 'payment_not_capturable'])
  expect(await shop.stock(sku)).toMatchObject({ on_hand: 1, reserved: 1 })
})
