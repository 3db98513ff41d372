/** SIGKILL at each point of a checkout: the order ends confirmed or expired, with one authorization and one confirmation. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killedAt } from '../../../../test/crash.ts'
import { call, eventually, newKey } from '../../../../test/world.ts'
import { inTurns } from '../../../../test/in-turns.ts'
import { sql } from '#dodeca/kernel'
import { openShopWorld, visa, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let buyer: Buyer
beforeAll(async () => {
  world = await openShopWorld({
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    COMMERCE_PAYMENT_WAIT_MS: '2000',
    // The operation of a dead process is held for six times this, and five seconds.
    PAYMENTS_PROVIDER_TIMEOUT_MS: '1000',
  })
  shop = await world.shop()
  buyer = await shop.buyer()
})
afterAll(() => world.close())

const Event = Type.Object({ type: Type.String() })

const points = [
  'kernel.after_operation',
  'commerce.before_ask',
  'payments.after_operation',
  'kernel.after_call',
  'commerce.in_confirm',
  'kernel.after_commit',
]

test.each(inTurns(3, points))('killed at %s: a retry with the key finds one order', async point => {
  const sku = await shop.product({ stock: 1 })
  const cart_id = await buyer.cart({ [sku]: 1 })
  const key = newKey()
  await killedAt(
    world,
    point,
    url =>
      call(url, 'POST', '/v1/checkouts', { token: buyer.token, key, body: { cart_id, ...visa } }),
    1,
    'product',
  )
  const done = await eventually('the retry is answered', async () => {
    const answer = await buyer.checkout(cart_id, visa, key)
    return (answer.status === 201 || answer.status === 202) && answer
  })
  const confirmed = async () => {
    const read = await buyer.read(done.body.id)
    return read.state === 'confirmed' && read
  }
  const order = await eventually('the order is confirmed', confirmed)
  expect(await shop.money(order.id)).toEqual(['authorize'])
  const confirmations = await world.platform.kernel.db.many(
    Event,
    sql`
        select type from kernel.events where aggregate_id = ${order.id} and type = 'OrderConfirmed'
        union all
        select type from kernel.outbox_events
        where aggregate_id = ${order.id} and type = 'OrderConfirmed'`,
  )
  expect(confirmations).toHaveLength(1)
  await shop.ship(order)
  expect(await shop.stock(sku)).toMatchObject({ on_hand: 0, reserved: 0 })
  await shop.sound()
})
