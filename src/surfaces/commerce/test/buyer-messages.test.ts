/** Messages about orders say amounts as the currency is written. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { address, openShopWorld, visa, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
})
afterAll(() => world.close())

test.each([
  ['HUF', 199_900, 'HUF 1,999.00'],
  ['KWD', 12_340, 'KWD 12.340'],
  ['JPY', 1999, '¥1,999'],
])('an order in %s over %i is confirmed over %s', async (currency, amount_minor, says) => {
  const sku = await shop.product()
  const price = { sku, currency, amount_minor }
  expect((await shop.manager.ask('POST', '/v1/price-versions', price)).status).toBe(201)
  const method = `to-${currency.toLowerCase()}`
  await shop.manager.ask('PUT', `/v1/shipping-methods/${method}`, {
    name: 'Van',
    bands: [{ currency, min_subtotal_minor: 0, amount_minor: 0 }],
  })
  const buyer = await shop.buyer()
  const { body: cart } = await buyer.ask('POST', '/v1/carts', { currency })
  await buyer.ask('PUT', `/v1/carts/${cart.id}/items/${sku}`, { quantity: 1 })
  // No tax is due there.
  await buyer.ask('PUT', `/v1/carts/${cart.id}`, {
    shipping_address: { ...address, country: 'CH' },
    shipping_method_id: method,
  })
  const { status, text } = await buyer.checkout(cart.id, visa)
  expect(status, text).toBe(201)
  await eventually('the message names the amount', async () => {
    const inbox = await buyer.ask('GET', '/v1/inbox')
    return inbox.text.replaceAll('\u00A0', ' ').includes(`over ${says},`)
  })
})
