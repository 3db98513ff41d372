/** Endings that are rare: too many declines. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, type Shop, type ShopWorld } from './shop-world.ts'

const declines = 3
let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({ PAYMENTS_DECLINES_PER_HOUR: String(declines) })
  shop = await world.shop()
})
afterAll(() => world.close())

test('a buyer whose cards were declined too often gets 429, and may try later', async () => {
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const cart = await buyer.cart({ [sku]: 1 })
  const bad = { payment: { payment_method: 'pm_card_visa_chargeDeclined' } }
  for (let tries = 0; tries < declines; tries++) {
    const declined = await buyer.checkout(cart, bad)
    expect([declined.status, declined.body.code]).toEqual([422, 'payment_declined'])
    expect(declined.body.errors).toMatchObject([{ pointer: '/payment/payment_method' }])
  }
  const limited = await buyer.checkout(cart)
  expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited'])
  expect(limited.headers.get('retry-after')).toBe('3600')
  // Nothing is held for it, and the cart is open.
  expect(await shop.stock(sku)).toMatchObject({ reserved: 0 })
  expect((await buyer.ask('GET', `/v1/carts/${cart}`)).body.state).toBe('open')
  const { body } = await buyer.ask('GET', `/v1/orders/${limited.body.order_id}`)
  expect(body.payment.last_error.code).toBe('rate_limited')
})
