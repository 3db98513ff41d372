/** Requests about orders and carts: at the same time, with ids in capitals, too large, and with versions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let buyer: Buyer
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
  buyer = await shop.buyer()
})
afterAll(() => world.close())

test('parts of an order that are shipped at once: one takes the money, others may try again', async () => {
  const order = await buyer.order({ [await shop.product()]: 3 })
  await world.fault({ action: 'delay_before', ms: 2000, match: { path: '/capture' } })
  const answers = await Promise.all([1, 2, 3].map(() => shop.ship(order, [1])))
  expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  for (const { status, body, headers } of answers) {
    if (status === 201) continue
    expect(body).toMatchObject({ code: 'capture_pending' })
    expect(headers.get('retry-after')).toBe('2')
  }
  for (let left = 2; left > 0; left--) expect((await shop.ship(order, [1])).status).toBe(201)
  await buyer.reaches(order.id, 'fulfilled')
  expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
  await shop.sound()
})
