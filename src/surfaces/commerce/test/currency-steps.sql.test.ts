/** Orders in a currency that the provider counts in steps of several minor units. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  address,
  openShopWorld,
  visa,
  type Buyer,
  type Shop,
  type ShopWorld,
} from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
  const bands = [{ currency: 'KWD', min_subtotal_minor: 0, amount_minor: 0 }]
  for (const country of ['KW', 'CH']) {
    await shop.manager.ask('PUT', `/v1/shipping-methods/${country.toLowerCase()}`, {
      name: 'Van',
      countries: [country],
      bands,
    })
  }
  await shop.manager.ask('PUT', '/v1/tax-rules/kw', {
    name: 'VAT',
    tax_class: 'standard',
    country: 'KW',
    rate_ppm: 50_000,
  })
})
afterAll(() => world.close())

async function cartIn(buyer: Buyer, country: string, quantity: number, more: object = {}) {
  const sku = await shop.product()
  const price = { sku, currency: 'KWD', amount_minor: 1005 }
  expect((await shop.manager.ask('POST', '/v1/price-versions', price)).status).toBe(201)
  const made = await buyer.ask('POST', '/v1/carts', { currency: 'KWD' })
  const cart = `/v1/carts/${made.body.id}`
  await buyer.ask('PUT', `${cart}/items/${sku}`, { quantity })
  const changed = await buyer.ask('PUT', cart, {
    shipping_address: { ...address, country },
    shipping_method_id: country.toLowerCase(),
    ...more,
  })
  expect(changed.status, changed.text).toBe(200)
  return { id: made.body.id as string, total_minor: changed.body.totals.total_minor as number, sku }
}

test('a total that the provider cannot take is refused before anything is ordered', async () => {
  const buyer = await shop.buyer()
  const cart = await cartIn(buyer, 'KW', 1)
  expect(cart.total_minor).toBe(1055)
  const { status, body } = await buyer.checkout(cart.id, visa)
  expect([status, body.code]).toEqual([422, 'amount_not_representable'])
  expect(body).toMatchObject({ total_minor: 1055, step_minor: 10 })
  expect((await shop.stock(cart.sku)).reserved).toBe(0)
  expect((await buyer.ask('GET', '/v1/orders')).body.data).toEqual([])
})

test('units that come back one by one are refunded in steps, and together to the last', async () => {
  const buyer = await shop.buyer()
  const less = { kind: 'fixed', amount_minor: 1015, currency: 'KWD', stackable: true }
  expect((await shop.manager.ask('PUT', '/v1/discounts/KW-1', less)).status).toBe(201)
  const cart = await cartIn(buyer, 'CH', 3, { discount_codes: ['KW-1'] })
  expect(cart.total_minor).toBe(2000)
  const { body: order } = await buyer.checkout(cart.id, visa)
  expect((await shop.ship(order)).status).toBe(201)
  const [{ id: order_line_id }] = order.lines
  const refunds: number[] = []
  for (let unit = 0; unit < 3; unit += 1) {
    const asked = await buyer.ask('POST', '/v1/returns', {
      order_id: order.id,
      lines: [{ order_line_id, quantity: 1, reason_code: 'wrong' }],
    })
    const path = `/v1/returns/${asked.body.id}`
    await shop.manager.ask('POST', `${path}/approve`, {})
    const received = await shop.manager.ask('POST', `${path}/receive`, {
      lines: [{ order_line_id, received_quantity: 1, restock: true }],
    })
    refunds.push(received.body.refund.amount_minor)
    await buyer.pays(order.id, unit < 2 ? 'partially_refunded' : 'refunded')
  }
  expect(refunds).toEqual([660, 670, 670])
  await shop.sound()
})
