/** A buyer keeps a card at a checkout and pays with it again. Nobody else does. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, type Buyer, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld()
})
afterAll(() => world.close())

const keeping = { payment: { payment_method: 'pm_card_visa', save: true } }
const withCard = (payment_method: string) => ({ payment: { payment_method } })
const cards = async (buyer: Buyer) => (await buyer.ask('GET', '/v1/payment-methods')).body.data

test('a card that a buyer keeps pays the next order, and no order of another buyer', async () => {
  const shop = await world.shop()
  const [sku, buyer, other] = [await shop.product(), await shop.buyer(), await shop.buyer()]
  const first = await buyer.checkout(await buyer.cart({ [sku]: 1 }), keeping)
  expect([first.status, first.body.state]).toEqual([201, 'confirmed'])
  const [card] = await cards(buyer)
  expect(card).toMatchObject({ account_id: buyer.id, state: 'active', last4: '4242' })

  const second = await buyer.checkout(await buyer.cart({ [sku]: 2 }), withCard(card.id))
  expect([second.status, second.body.state]).toEqual([201, 'confirmed'])
  expect(await shop.money(second.body.id)).toEqual(['authorize'])

  expect(await cards(other)).toEqual([])
  const stolen = await other.checkout(await other.cart({ [sku]: 1 }), withCard(card.id))
  expect([stolen.status, stolen.body.code]).toEqual([422, 'payment_declined'])
  expect(await cards(buyer)).toHaveLength(1)
  await expect(shop.sound()).resolves.toBeUndefined()
  expect((await shop.stock(sku)).reserved).toBe(3)
})

test('a guest keeps no card, and nothing is ordered', async () => {
  const shop = await world.shop()
  const [sku, guest] = [await shop.product(), await shop.guest()]
  const cart = await guest.cart({ [sku]: 1 })
  const refused = await guest.checkout(cart, { ...keeping, email: 'guest@example.test' })
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
  expect((await shop.stock(sku)).reserved).toBe(0)
})
