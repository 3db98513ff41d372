/** A provider that answers after our wait, and a process whose clock is wrong. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually, newKey } from '../../../../test/world.ts'
import { openShopWorld, visa, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let buyer: Buyer
beforeAll(async () => {
  world = await openShopWorld({
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    COMMERCE_PAYMENT_WAIT_MS: '2000',
  })
  shop = await world.shop()
  buyer = await shop.buyer()
})
afterAll(() => world.close())

test('an answer of the provider that comes after our wait leaves the order pending, then confirmed', async () => {
  const sku = await shop.product({ stock: 1 })
  // Before its effect, because its event would confirm the order while the request waits.
  await world.fault({ action: 'delay_before', ms: 4000, match: { path: '/confirm' } })
  const answer = await buyer.checkout(await buyer.cart({ [sku]: 1 }))
  expect([answer.status, answer.body.status, answer.body.state]).toEqual([
    202,
    'pending',
    'pending',
  ])
  const order = await buyer.reaches(answer.body.id, 'confirmed')
  expect(await shop.money(order.id)).toEqual(['authorize'])
  await shop.sound()
})

/** A process whose own clock is ten minutes ahead. */
const ahead = `data:text/javascript,const now = Date.now; Date.now = () => now() + 600000`

test('a process whose clock is wrong changes no expiry: the database has the time', async () => {
  const wrong = await startProcess(
    { ...world.environment, ROLES: 'api,worker', NODE_OPTIONS: `--import=${encodeURI(ahead)}` },
    'product',
  )
  try {
    const sku = await shop.product({ stock: 2 })
    const pays = { payment: { payment_method: 'pm_card_authenticationRequired' } }
    const ask = async (body: object) =>
      await call(wrong.url, 'POST', '/v1/checkouts', { token: buyer.token, key: newKey(), body })
    const paid = await ask({ cart_id: await buyer.cart({ [sku]: 1 }), ...visa })
    const waits = await ask({ cart_id: await buyer.cart({ [sku]: 1 }), ...pays })
    // The first call of a process to the provider may last longer than a checkout waits: then 202.
    expect([201, 202], paid.text).toContain(paid.status)
    expect(waits.status, waits.text).toBe(202)
    for (const { reservation, created_at } of [paid.body, waits.body]) {
      expect(Date.parse(reservation.expires_at) - Date.parse(created_at)).toBe(900_000)
    }
    // Its worker looks at what lapses, and finds nothing.
    const prepared = (id: string) =>
      eventually('it has prepared a shipment', async () => {
        return (await buyer.read(id)).shipments.length === 1
      })
    for (let round = 0; round < 3; round++) {
      const cart_id = await buyer.cart({ [await shop.product()]: 1 })
      await prepared((await ask({ cart_id, ...visa })).body.id)
    }
    expect((await buyer.read(waits.body.id)).state).toBe('pending')
  } finally {
    await wrong.kill()
  }
})
