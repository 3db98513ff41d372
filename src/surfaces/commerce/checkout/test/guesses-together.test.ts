/** A checkout that holds a connection does not wait for another one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, visa, type ShopWorld } from '../../test/shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld({ KERNEL_DATABASE_POOL: '4', KERNEL_DATABASE_WAIT_MS: '3000' })
})
afterAll(() => world.close())

test('more checkouts of a buyer with an unknown code than connections are all refused', async () => {
  const shop = await world.shop()
  const buyer = await shop.buyer()
  const cart = await buyer.cart({ [await shop.product()]: 1 })
  const guess = { ...visa, discount_codes: ['GUESS'] }
  const answers = await Promise.all(Array.from({ length: 16 }, () => buyer.checkout(cart, guess)))
  const codes = new Set(answers.map(one => one.body.code))
  expect(codes).toEqual(new Set(['discount_not_applicable']))
})
