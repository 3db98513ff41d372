/**
 * The platform is killed again and again while buyers order the same few goods, cancel, and the shop ships,
 * and the provider loses answers. Afterwards no unit was sold twice, every order has ended, the shop is sound
 * by its own audit, and no lost order holds money.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import {
  address,
  openShopWorld,
  type Buyer,
  type Shop,
  type ShopWorld,
} from '../../src/surfaces/commerce/test/shop-world.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import { call, eventually, newKey, type Answer } from '../world.ts'

const kills = 100
const crowd = 200

let world: ShopWorld
let shop: Shop
let buyers: Buyer[]
let platform: PlatformProcess
const goods: string[] = []

beforeAll(async () => {
  // This process only looks on: the work is done by the one that is killed.
  world = await openShopWorld({
    ROLES: 'api',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    COMMERCE_RESERVATION_TTL_SECONDS: '30',
    COMMERCE_PAYMENT_WAIT_MS: '2000',
    COMMERCE_OPEN_CARTS: '10000',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '500',
    PAYMENTS_DECLINES_PER_HOUR: '100000',
    PAYMENTS_EVENT_CATCHUP_SECONDS: '2',
  })
  shop = await world.shop()
  for (let at = 0; at < 3; at++) goods.push(await shop.product({ stock: 40 }))
  buyers = []
  for (let at = 0; at < crowd; at++) buyers.push(await shop.buyer())
  platform = await startProcess({ ...world.environment, ROLES: 'api,worker' }, 'product')
})
afterAll(async () => {
  await platform.kill()
  await world.close()
})

const ask = (who: Buyer, method: string, path: string, body?: object, key?: string) =>
  call(platform.url, method, path, {
    token: who.token,
    ...(method === 'POST' ? { key: key ?? newKey() } : {}),
    ...(body ? { body } : {}),
  })

/** One order's life, as far as it gets before something dies; a checkout that broke off is sent again. */
async function shopping(round: number): Promise<void> {
  const buyer = buyers[round % buyers.length] as Buyer
  const cart_id = newId()
  const sku = goods[round % goods.length] ?? ''
  await ask(buyer, 'PUT', `/v1/carts/${cart_id}/items/${sku}`, { quantity: 1 + (round % 2) })
  const pays = round % 7 === 0 ? 'pm_card_visa_chargeDeclined' : 'pm_card_visa'
  const body = {
    cart_id,
    shipping_address: address,
    shipping_method_id: 'parcel',
    payment: { payment_method: pays },
  }
  const key = newKey()
  const again = () => ask(buyer, 'POST', '/v1/checkouts', body, key)
  const ordered: Answer = await again().catch(again)
  if (ordered.status !== 201) return
  const { id, lines } = ordered.body
  if (round % 3 === 0) return void (await ask(buyer, 'POST', `/v1/orders/${id}/cancel`, {}))
  const sent = (lines as { id: string; quantity: number }[]).map(line => ({
    order_line_id: line.id,
    quantity: line.quantity,
  }))
  if (round % 3 === 1) {
    await ask(shop.manager, 'POST', `/v1/orders/${id}/shipments`, { lines: sent })
  }
}

const Count = Type.Object({ n: Type.Integer() })
const Ended = Type.Object({ id: Type.String(), state: Type.String() })

test(`of ${crowd} buyers of the last unit one gets it`, async () => {
  const sku = await shop.product({ stock: 1 })
  const answers = await Promise.all(
    buyers.map(async buyer => {
      const cart = await buyer.cart({ [sku]: 1 })
      return await buyer.checkout(cart)
    }),
  )
  const won = answers.filter(answer => answer.status === 201)
  expect(won).toHaveLength(1)
  expect(answers.filter(answer => answer.status !== 201 && answer.status !== 409)).toEqual([])
  expect(await shop.money(won[0]?.body.id)).toEqual(['authorize'])
  await shop.sound()
}, 600_000)

test(`${kills} SIGKILLs under load: nothing is sold twice, and no lost order holds money`, async () => {
  await world.control('chaos', {
    seed: 11,
    ms: 700,
    rates: { delay_after: 0.03, reset_after: 0.02, http: 0.03, late_effect: 0.02, drop: 0.1 },
  })
  let stopping = false
  let rounds = 0
  const goOn = (to: number) => eventually('orders go on', () => rounds > to)
  const load = Array.from({ length: 6 }, async () => {
    while (!stopping) await shopping(rounds++).catch(() => {})
  })
  for (let kill = 0; kill < kills; kill++) {
    await goOn(rounds + 8)
    await platform.kill()
    platform = await startProcess({ ...world.environment, ROLES: 'api,worker' }, 'product')
  }
  stopping = true
  await Promise.all(load)
  await world.control('chaos', { seed: 0, rates: {} })
  await eventually('every order has ended', () => quiet(), 300_000)
  await shop.sound()
  const orders = await world.platform.kernel.db.many(
    Ended,
    sql`select id, state from commerce.orders where tenant_id = ${shop.manager.tenant.id}`,
  )
  expect(orders.length).toBeGreaterThan(kills)
  for (const { id, state } of orders) {
    const money = await shop.money(id)
    const count = (kind: string) => money.filter(one => one === kind).length
    expect(count('authorize'), `${id} ${state} ${money.join()}`).toBeLessThanOrEqual(1)
    const lost = !['confirmed', 'fulfilled'].includes(state)
    // An intent that was never authorized can be cancelled as well.
    const held = count('authorize') > count('cancel') + count('refund')
    expect([state, lost ? held : count('authorize')]).toEqual([state, lost ? false : 1])
  }
}, 3_600_000)

async function quiet(): Promise<boolean> {
  const { n } = await world.platform.kernel.db.one(
    Count,
    sql`
      -- any tenant: all of this test
      select (select count(*) from commerce.orders where state = 'pending')::int
        + (select count(*) from commerce.payment_operations
          where state in ('requested', 'pending'))::int as n`,
  )
  return n === 0
}
