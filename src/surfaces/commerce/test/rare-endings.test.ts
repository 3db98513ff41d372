/** Endings that are rare: too many declines, refunds made elsewhere, and buyers that are erased. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { captureBeforeExpiry } from '../loops.ts'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

const declines = 3
let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({ PAYMENTS_DECLINES_PER_HOUR: String(declines) })
  shop = await world.shop({ capture_before_expiry: true })
})
afterAll(() => world.close())

test('a buyer whose cards were declined too often gets 429, and may try later', async () => {
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const cart = await buyer.cart({ [sku]: 1 })
  const bad = { payment: { payment_method: 'pm_card_visa_chargeDeclined' } }
  for (let tries = 0; tries < declines; tries++) {
    const declined = await buyer.checkout(cart, bad)
    expect([declined.status, declined.body.code]).toEqual([422, 'payment_declined'])
    expect(declined.body.errors).toMatchObject([{ pointer: '/payment/payment_method' }])
  }
  const limited = await buyer.checkout(cart)
  expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited'])
  expect(limited.headers.get('retry-after')).toBe('3600')
  // Nothing is held for it, and the cart is open.
  expect(await shop.stock(sku)).toMatchObject({ reserved: 0 })
  expect((await buyer.ask('GET', `/v1/carts/${cart}`)).body.state).toBe('open')
  const { body } = await buyer.ask('GET', `/v1/orders/${limited.body.order_id}`)
  expect(body.payment.last_error.code).toBe('rate_limited')
})

describe('a return', () => {
  const direct = async (order: { id: string }, amount_minor?: number) => {
    const { body } = await shop.manager.ask('GET', `/v1/payment-intents?order_ref=${order.id}`)
    const [{ id: intent_id }] = body.data
    const more = amount_minor === undefined ? {} : { amount_minor }
    const refund = await shop.manager.ask('POST', '/v1/refunds', { intent_id, ...more })
    expect(refund.status, refund.text).toBe(201)
  }
  const comeBack = async (buyer: Buyer, order: { id: string; lines: { id: string }[] }) => {
    const order_line_id = order.lines[0]?.id
    const asked = await buyer.ask('POST', '/v1/returns', {
      order_id: order.id,
      lines: [{ order_line_id, quantity: 1, reason_code: 'broken' }],
    })
    const path = `/v1/returns/${asked.body.id}`
    await shop.manager.ask('POST', `${path}/approve`, { refund_shipping: 'full' })
    const lines = [{ order_line_id, received_quantity: 1, restock: true }]
    const received = await shop.manager.ask('POST', `${path}/receive`, { lines })
    expect(received.status, received.text).toBe(200)
    return path
  }
  const ends = async (buyer: Buyer, path: string) =>
    await eventually('the return has ended', async () => {
      const { body } = await buyer.ask('GET', path)
      return body.state !== 'refund_pending' && body
    })
  const shipped = async (buyer: Buyer) => {
    const order = await buyer.order({ [await shop.product({ amount_minor: 1000 })]: 1 })
    expect((await shop.ship(order)).status).toBe(201)
    return order
  }

  test('of an order that was refunded directly pays nothing more', async () => {
    const buyer = await shop.buyer()
    const order = await shipped(buyer)
    await direct(order)
    await buyer.pays(order.id, 'refunded')
    const path = await comeBack(buyer, order)
    expect(await ends(buyer, path)).toMatchObject({ state: 'refunded', refund: null })
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture', 'refund'])
    await shop.sound()
  })

  test('of an order that was refunded in part pays what is left', async () => {
    const buyer = await shop.buyer()
    const order = await shipped(buyer)
    await direct(order, 700)
    await buyer.pays(order.id, 'partially_refunded')
    const path = await comeBack(buyer, order)
    const rest = order.totals.total_minor - 700
    expect(await ends(buyer, path)).toMatchObject({
      state: 'refunded',
      refund: { amount_minor: rest, state: 'succeeded' },
    })
    await buyer.pays(order.id, 'refunded')
    await shop.sound()
  })

  test('keeps no key of its buyer and of its shipper after they are erased', async () => {
    const buyer = await shop.buyer()
    await comeBack(buyer, await shipped(buyer))
    for (const [who, keys] of [[buyer, 2] as const, [shop.manager, 1] as const]) {
      expect(await keysOf(who)).toBeGreaterThanOrEqual(keys)
      await erase(who)
      expect(await keysOf(who)).toBe(0)
    }
  })

  test('whose refund was overtaken by a direct one ends when it is retried', async () => {
    const buyer = await shop.buyer()
    const order = await shipped(buyer)
    await world.fault({
      action: 'http',
      status: 400,
      match: { path: '/v1/refunds', method: 'POST' },
    })
    const path = await comeBack(buyer, order)
    expect((await ends(buyer, path)).state).toBe('refund_failed')
    await direct(order)
    await buyer.pays(order.id, 'refunded')
    const retried = await shop.manager.ask('POST', `${path}/retry-refund`, {})
    expect([retried.status, retried.body.state]).toEqual([200, 'refunded'])
  })
})

async function erase(buyer: { id: string; tenant: { id: string } }): Promise<void> {
  const about = { account_id: buyer.id, tenant_id: buyer.tenant.id, principal_ids: [buyer.id] }
  const { signal } = new AbortController()
  await world.platform.opened['commerce']?.personal?.erase(about, signal)
}

/** How many keys of requests are kept of an account. */
async function keysOf({ id, tenant }: { id: string; tenant: { id: string } }): Promise<number> {
  return await world.platform.kernel.db.run(sql`
    select idempotency_key from commerce.orders
    where tenant_id = ${tenant.id} and buyer_id = ${id} and idempotency_key is not null
    union all
    select idempotency_key from commerce.returns
    where tenant_id = ${tenant.id} and buyer_id = ${id} and idempotency_key is not null
    union all
    select idempotency_key from commerce.shipments
    where tenant_id = ${tenant.id} and principal_id = ${id} and idempotency_key is not null`)
}

describe('the order of an erased buyer', () => {
  test('is neither shipped nor captured, and an operator finds and cancels it', async () => {
    const [buyer, other] = [await shop.buyer(), await shop.buyer()]
    const sku = await shop.product({ stock: 2 })
    const order = await buyer.order({ [sku]: 1 })
    const kept = await other.order({ [sku]: 1 })
    const { db } = world.platform.kernel
    await erase(buyer)
    const refused = await shop.ship(order)
    expect([refused.status, refused.body.code]).toEqual([409, 'buyer_erased'])
    await db.run(sql`
      update commerce.orders set authorization_expires_at = kernel.now() + interval '1 hour'
      where tenant_id = ${buyer.tenant.id}`)
    await captureBeforeExpiry(db, new AbortController().signal)
    await other.pays(kept.id, 'captured')
    const found = await shop.manager.ask('GET', '/v1/orders?buyer_erased=true')
    const shown = { id: order.id, state: 'confirmed', buyer_erased: true }
    expect(found.body.data).toContainEqual(expect.objectContaining(shown))
    const { body } = await shop.manager.ask('GET', `/v1/orders/${order.id}`)
    expect(body).toMatchObject({ buyer_erased: true, payment: { state: 'authorized' } })
    const cancelled = await shop.manager.ask('POST', `/v1/orders/${order.id}/cancel`, {})
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
    await eventually('its money is released', async () => {
      const { body: now } = await shop.manager.ask('GET', `/v1/orders/${order.id}`)
      return now.payment.state === 'released'
    })
    expect(await shop.money(order.id)).toEqual(['authorize', 'cancel'])
    expect(await shop.stock(sku)).toMatchObject({ reserved: 1 })
    await shop.sound()
  })

  test('is not confirmed any more when its payment comes after the erasure', async () => {
    const buyer = await shop.buyer()
    const sku = await shop.product({ stock: 1 })
    const cart = await buyer.cart({ [sku]: 1 })
    const asked = await buyer.checkout(cart, {
      payment: { payment_method: 'pm_card_authenticationRequired' },
    })
    expect(asked.status).toBe(202)
    const { payment } = await buyer.read(asked.body.id)
    await erase(buyer)
    await fetch(`${payment.next_action.url}/succeed`, { method: 'POST' })
    const ended = await buyer.reaches(asked.body.id, 'expired')
    expect(ended.history.at(-1).reason_code).toBe('buyer_erased')
    await buyer.pays(asked.body.id, 'released')
    expect(await shop.stock(sku)).toMatchObject({ reserved: 0 })
    await shop.sound()
  })
})
