/** Orders that payments would never take: another currency, or too much money. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, visa, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({
    PAYMENTS_SETTLEMENT_CURRENCIES: 'EUR',
    PAYMENTS_AMOUNT_MAX_MINOR: '5000',
  })
  shop = await world.shop()
})
afterAll(() => world.close())

test('a price has a currency that has a number of decimals', async () => {
  const sku = await shop.product()
  for (const currency of ['ZZZ', 'HRK', 'XDR']) {
    const price = { sku, currency, amount_minor: 1000 }
    const { status, body } = await shop.manager.ask('POST', '/v1/price-versions', price)
    expect([currency, status, body.code]).toEqual([currency, 422, 'currency_unsupported'])
  }
})

test('a currency that payments does not accept is refused before anything is ordered', async () => {
  const [buyer, sku] = [await shop.buyer(), await shop.product({ requires_shipping: false })]
  const price = { sku, currency: 'USD', amount_minor: 1000 }
  expect((await shop.manager.ask('POST', '/v1/price-versions', price)).status).toBe(201)
  const { body: cart } = await buyer.ask('POST', '/v1/carts', { currency: 'USD' })
  await buyer.ask('PUT', `/v1/carts/${cart.id}/items/${sku}`, { quantity: 1 })
  const { status, body } = await buyer.checkout(cart.id, visa)
  expect([status, body.code]).toEqual([422, 'currency_unknown'])
  expect(body.errors).toMatchObject([{ pointer: '/cart_id' }])
  expect((await shop.stock(sku)).reserved).toBe(0)
  expect((await buyer.ask('GET', '/v1/orders')).body.data).toEqual([])
})

test('a total above the limit of payments is refused before anything is ordered', async () => {
  const [buyer, sku] = [await shop.buyer(), await shop.product({ amount_minor: 6000 })]
  const refused = await buyer.checkout(await buyer.cart({ [sku]: 1 }), visa)
  expect([refused.status, refused.body.code]).toEqual([422, 'amount_too_large'])
  expect(refused.body.errors).toMatchObject([{ pointer: '/cart_id' }])
  expect((await shop.stock(sku)).reserved).toBe(0)
  expect((await buyer.ask('GET', '/v1/orders')).body.data).toEqual([])
})

test('who makes or changes a product or a price stands in the audit', async () => {
  const { manager } = shop
  const sku = await shop.product()
  const price = { sku, currency: 'EUR', amount_minor: 1200 }
  const { id } = (await manager.ask('POST', '/v1/price-versions', price)).body
  const made = { handle: 'audited', title: 'Audited', variants: [{ sku: 'AUDITED' }] }
  const product = (await manager.ask('POST', '/v1/products', made)).body
  const change = await manager.ask('PATCH', `/v1/products/${product.id}`, { title: 'Seen' })
  expect(change.status, change.text).toBe(200)
  await world.allow(manager, 'kernel.audit_events.read')
  const { data } = (await manager.ask('GET', '/v1/audit-events?limit=100')).body
  for (const [action, target] of [
    ['commerce.price.add', `price_version:${id}`],
    ['commerce.product.create', `product:${product.id}`],
    ['commerce.product.change', `product:${product.id}`],
  ]) {
    expect(data).toContainEqual(expect.objectContaining({ action, target }))
  }
})
