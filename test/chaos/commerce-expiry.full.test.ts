/** Many payments that are authorized at the moment at which their orders expire, and orders that are cancelled while they are shipped. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizeAtExpiry } from '../../src/surfaces/commerce/test/expiry.ts'
import {
  openShopWorld,
  type Buyer,
  type Shop,
  type ShopWorld,
} from '../../src/surfaces/commerce/test/shop-world.ts'

const rounds = 300
const pairs = 50
const ttl_seconds = 5

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({
    COMMERCE_RESERVATION_TTL_SECONDS: String(ttl_seconds),
    COMMERCE_PAYMENT_WAIT_MS: '20000',
    COMMERCE_OPEN_CARTS: '10000',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    KERNEL_RATE_FACTOR: '1000',
  })
  shop = await world.shop()
})
afterAll(() => world.close())

test(`${rounds} authorizations at the moment of the expiry: one of both wins, and a lost order holds no money`, async () => {
  const ended: string[] = []
  while (ended.length < rounds) {
    ended.push(...(await authorizeAtExpiry(world, shop, { rounds: 10, ttl_seconds })))
  }
  expect(ended).toHaveLength(rounds)
}, 1_200_000)

test(`${pairs} orders that are cancelled and shipped at once: one of both happens`, async () => {
  const sku = await shop.product({ stock: 1000 })
  const buyer = await shop.buyer()
  for (let pair = 0; pair < pairs; pair++) {
    const order = await buyer.order({ [sku]: 1 })
    // The request that is sent first is usually the first at the row of the order.
    const [cancelled, shipped] = await both(buyer, order, pair % 2 === 0)
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([cancelled?.status, shipped?.status])
    const sent = shipped?.status === 201
    await buyer.pays(order.id, sent ? 'captured' : 'released')
    expect((await buyer.read(order.id)).state).toBe(sent ? 'fulfilled' : 'cancelled')
  }
  await shop.sound()
}, 600_000)

async function both(buyer: Buyer, order: { id: string }, cancel_first: boolean) {
  const cancels = () => buyer.ask('POST', `/v1/orders/${order.id}/cancel`, {})
  const ships = () => shop.ship(order)
  if (cancel_first) return await Promise.all([cancels(), ships()])
  return (await Promise.all([ships(), cancels()])).toReversed()
}
