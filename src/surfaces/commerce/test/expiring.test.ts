/** Orders that meet their end: late payments, lost answers, authorizations that lapse, clocks that are wrong. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { captureBeforeExpiry } from '../loops.ts'
import { authorizeAtExpiry } from './expiry.ts'
import { openShopWorld, visa, type Shop, type ShopWorld } from './shop-world.ts'

const ttl_seconds = 5

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({
    COMMERCE_RESERVATION_TTL_SECONDS: String(ttl_seconds),
    COMMERCE_PAYMENT_WAIT_MS: '20000',
  })
  shop = await world.shop()
})
afterAll(() => world.close())

test('an authorization at the moment of the expiry: one of them wins, and a lost order holds no money', async () => {
  const ended = await authorizeAtExpiry(world, shop, { rounds: 6, ttl_seconds })
  expect(ended).toHaveLength(6)
})

describe('a lost answer of the provider', () => {
  test('leaves the order pending until it is certain, with one authorization', async () => {
    const buyer = await shop.buyer()
    const cart = await buyer.cart({ [await shop.product()]: 1 })
    await world.fault({
      action: 'http',
      status: 500,
      after_effect: true,
      match: { path: '/confirm' },
    })
    const answer = await buyer.checkout(cart)
    expect([answer.status, answer.body.status, answer.body.state]).toEqual([
      202,
      'pending',
      'pending',
    ])
    await buyer.reaches(answer.body.id, 'confirmed')
    expect(await shop.money(answer.body.id)).toEqual(['authorize'])
    const second = await buyer.checkout(cart)
    expect(second.body).toMatchObject({ code: 'cart_not_open', order_id: answer.body.id })
  })

  test('at the capture keeps the goods here until it is certain', async () => {
    const buyer = await shop.buyer()
    const sku = await shop.product({ stock: 1 })
    const order = await buyer.order({ [sku]: 1 })
    await world.fault({
      action: 'http',
      status: 500,
      after_effect: true,
      match: { path: '/capture' },
    })
    const answer = await shop.ship(order)
    expect([answer.status, answer.body.status, answer.body.state]).toEqual([
      202,
      'pending',
      'awaiting_capture',
    ])
    const cancelled = await buyer.ask('POST', `/v1/orders/${order.id}/cancel`, {})
    expect([200, 409]).toContain(cancelled.status)
    await buyer.reaches(order.id, 'fulfilled')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
    expect(await shop.stock(sku)).toMatchObject({ on_hand: 0, reserved: 0 })
  })
})

test('a pending order without a payment expires, and its goods and cart are free', async () => {
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const cart = await buyer.cart({ [sku]: 1 })
  const asked = await buyer.checkout(cart, {
    payment: { payment_method: 'pm_card_authenticationRequired' },
  })
  expect(asked.status).toBe(202)
  await buyer.reaches(asked.body.id, 'expired')
  await buyer.pays(asked.body.id, 'released')
  expect((await buyer.checkout(cart)).status).toBe(201)
  await shop.sound()
})

test('an authorization that lapsed cannot be shipped, and nothing moves', async () => {
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const order = await buyer.order({ [sku]: 1 }, visa)
  expect(order.payment.authorization_expires_at).not.toBeNull()
  await world.control('clock', { advance_s: 8 * 86_400 })
  await buyer.pays(order.id, 'released')
  const refused = await shop.ship(order)
  expect([refused.status, refused.body.code]).toEqual([409, 'payment_not_capturable'])
  expect(await shop.stock(sku)).toMatchObject({ on_hand: 1, reserved: 1 })
})

describe('an order whose money was captured at the provider', () => {
  test('is shipped', async () => {
    const buyer = await shop.buyer()
    const order = await buyer.order({ [await shop.product()]: 1 })
    await shop.captureAtProvider(order)
    await buyer.pays(order.id, 'captured')
    const shipped = await shop.ship(order)
    expect([shipped.status, shipped.body.state]).toEqual([201, 'shipped'])
    await buyer.reaches(order.id, 'fulfilled')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
    await shop.sound()
  })

  test('is shipped also if the order does not know that', async () => {
    const buyer = await shop.buyer()
    const order = await buyer.order({ [await shop.product()]: 1 })
    await shop.captureAtProvider(order)
    await buyer.pays(order.id, 'captured')
    await world.platform.kernel.db.run(sql`
      update commerce.orders set payment_state = 'authorized', amount_captured_minor = 0
      where tenant_id = ${shop.manager.tenant.id} and id = ${order.id}`)
    const shipped = await shop.ship(order)
    expect([shipped.status, shipped.body.state]).toEqual([201, 'shipped'])
    await buyer.reaches(order.id, 'fulfilled')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
  })

  test('is not shipped for a part of it, and cancelling returns that part', async () => {
    const buyer = await shop.buyer()
    const order = await buyer.order({ [await shop.product()]: 1 })
    await shop.captureAtProvider(order, { amount_to_capture: '100' })
    await eventually('payments knows it', async () => {
      const { body } = await shop.manager.ask('GET', `/v1/payment-intents?order_ref=${order.id}`)
      return body.data[0].state === 'captured'
    })
    const refused = await shop.ship(order)
    expect([refused.status, refused.body.code]).toEqual([409, 'payment_not_capturable'])
    const cancelled = await buyer.ask('POST', `/v1/orders/${order.id}/cancel`, {})
    expect(cancelled.status, cancelled.text).toBe(200)
    await buyer.pays(order.id, 'refunded')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture', 'refund'])
  })
})

test('authorizations that end soon are captured, also behind many whose capture fails', async () => {
  const careful = await world.shop({ capture_before_expiry: true })
  const { tenant, id } = careful.manager
  const { db } = world.platform.kernel
  // No payment belongs to these orders, so that their captures are refused.
  await db.run(sql`
    with made as (
      insert into commerce.orders (tenant_id, id, buyer_id, cart_id, state, currency,
        subtotal_minor, discount_minor, shipping_minor, shipping_discount_minor, shipping_tax_minor,
        tax_minor, total_minor, prices_include_tax, needs_shipping, discounts, calculation,
        pricing_fingerprint, capture_policy, payment_state, authorization_expires_at,
        idempotency_key, request_fingerprint, confirmed_at, reservation_expires_at)
      select ${tenant.id}, gen_random_uuid(), ${id}, gen_random_uuid(), 'confirmed', 'EUR',
        0, 0, 0, 0, 0, 0, 0, true, true, '[]', '{}', 'x', 'on_first_shipment', 'authorized',
        kernel.now() + interval '1 hour', 'key-' || n, '', kernel.now(), kernel.now()
      from generate_series(1, 105) n
      returning tenant_id, id
    )
    insert into commerce.order_lines (tenant_id, order_id, id, line_no, sku, product_id,
      product_description, quantity, accepted_unit_price_minor, subtotal_minor, discount_minor,
      tax_minor, total_minor, currency, price_version_id, tax_breakdown, requires_shipping,
      track_inventory)
    select tenant_id, id, gen_random_uuid(), 1, 'gift', gen_random_uuid(), 'Gift', 1, 0, 0, 0, 0, 0,
      'EUR', gen_random_uuid(), '[]', true, false
    from made`)
  const buyer = await careful.buyer()
  const order = await buyer.order({ [await careful.product()]: 1 })
  await db.run(sql`
    update commerce.orders set authorization_expires_at = kernel.now() + interval '2 hours'
    where tenant_id = ${tenant.id} and id = ${order.id}`)
  await captureBeforeExpiry(db, new AbortController().signal)
  const { payment } = await buyer.pays(order.id, 'captured')
  expect(payment.amount_captured_minor).toBeGreaterThan(0)
})

test('a capture that is refused before its authorization ends is tried again after a rising pause', async () => {
  const careful = await world.shop({ capture_before_expiry: true })
  const buyer = await careful.buyer()
  const order = await buyer.order({ [await careful.product()]: 1 })
  const { db } = world.platform.kernel
  const own = sql`tenant_id = ${careful.manager.tenant.id} and order_id = ${order.id}`
  await db.run(sql`
    update commerce.orders set authorization_expires_at = kernel.now() + interval '1 hour'
    where tenant_id = ${careful.manager.tenant.id} and id = ${order.id}`)
  await world.fault({ action: 'http', status: 400, match: { path: '/capture' }, times: 1000 })
  const refused = async () =>
    await db.run(sql`
      select from commerce.payment_operations
      where ${own} and type = 'capture' and state = 'failed'`)
  const look = () => captureBeforeExpiry(db, new AbortController().signal)
  const age = (minutes: number) =>
    db.run(sql`
      update commerce.payment_operations
      set created_at = created_at - make_interval(mins => ${minutes}) where ${own}`)
  await look()
  await eventually('it is refused', async () => (await refused()) === 1)
  await look()
  await age(2)
  await look()
  await eventually('it is refused again', async () => (await refused()) === 2)
  // The next pause is two minutes.
  await age(1)
  await look()
  const open = sql`
    select from commerce.payment_operations
    where ${own} and type = 'capture' and state <> 'failed'`
  expect(await db.run(open)).toBe(0)
  expect(await refused()).toBe(2)
  await age(2)
  await world.control('faults', {}, 'DELETE')
  await look()
  await buyer.pays(order.id, 'captured')
})
