/** Orders that are given up while the provider has captured their money: the buyer gets all of it back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { items } from '../../payments/test/payment-world.ts'
import { lookAgain } from '../payments/consume-payments.ts'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({ COMMERCE_PAYMENT_WAIT_MS: '20000' })
  shop = await world.shop()
})
afterAll(() => world.close())

const part = { amount_to_capture: '100' }
const cancel = async (buyer: Buyer, { id }: { readonly id: string }) => {
  const answer = await buyer.ask('POST', `/v1/orders/${id}/cancel`, {})
  expect(answer.status, answer.text).toBe(200)
}
const known = async ({ id }: { readonly id: string }) =>
  await eventually('payments knows of the capture', async () => {
    const { body } = await shop.manager.ask('GET', `/v1/payment-intents?order_ref=${id}`)
    return body.data[0].state === 'captured' && body.data[0]
  })
const parked = () =>
  world.platform.kernel.db.run(sql`
    select from kernel.event_parks where consumer = 'commerce.payments'`)

test('a cancellation that the provider refuses because it has captured refunds the order', async () => {
  const buyer = await shop.buyer()
  const order = await buyer.order({ [await shop.product()]: 1 })
  const webhook_url = `${world.url}/v1/providers/stripe/webhooks`
  await world.control('config', { webhook_url: null })
  await shop.captureAtProvider(order)
  await cancel(buyer, order)
  await buyer.pays(order.id, 'refunded')
  expect(await shop.money(order.id)).toEqual(['authorize', 'capture', 'refund'])
  await world.control('config', { webhook_url })
  await shop.sound()
})

test('a cancellation whose outcome is in doubt is no release yet', async () => {
  const buyer = await shop.buyer()
  const order = await buyer.order({ [await shop.product()]: 1 })
  await world.fault({ action: 'http', status: 500, match: { path: '/cancel' }, times: 1000 })
  await cancel(buyer, order)
  const { db } = world.platform.kernel
  const asked = sql`
    select from commerce.payment_operations
    where tenant_id = ${shop.manager.tenant.id} and order_id = ${order.id} and type = 'void'
      and state = 'pending'`
  await eventually('the release is pending', async () => (await db.run(asked)) === 1)
  expect((await buyer.read(order.id)).payment.state).toBe('releasing')
  await world.control('faults', {}, 'DELETE')
  await buyer.pays(order.id, 'released')
  expect(await shop.money(order.id)).toEqual(['authorize', 'cancel'])
})

test('the end of its payment makes a release due, also if the order never learned of the payment', async () => {
  const { db } = world.platform.kernel
  const buyer = await shop.buyer()
  const order = await buyer.order({ [await shop.product()]: 1 })
  const { tenant } = shop.manager
  const release = newId()
  await db.run(sql`
    update commerce.orders set intent_id = null
    where tenant_id = ${tenant.id} and id = ${order.id}`)
  await db.run(sql`
    insert into commerce.payment_operations (tenant_id, id, order_id, type, amount_minor, state)
    values (${tenant.id}, ${release}, ${order.id}, 'void', 1, 'pending')`)
  await db.tx(tx =>
    lookAgain(tx, [{ tenant_id: tenant.id, order_id: order.id, operation_id: newId() }]),
  )
  await buyer.pays(order.id, 'released')
  expect(await shop.money(order.id)).toEqual(['authorize', 'cancel'])
})

test('a refund that was made in payments, and that the bank returns, is no refund any more', async () => {
  const buyer = await shop.buyer()
  const order = await buyer.order(
    { [await shop.product()]: 1 },
    { payment: { payment_method: 'pm_card_refundFail' } },
  )
  expect((await shop.ship(order)).status).toBe(201)
  const { id: intent_id } = await known(order)
  const refund = await shop.manager.ask('POST', '/v1/refunds', { intent_id })
  expect(refund.status, refund.text).toBe(201)
  await buyer.pays(order.id, 'refunded')
  await world.control('clock', { advance_s: 4 * 86_400 })
  const { payment } = await buyer.pays(order.id, 'captured')
  expect(payment.amount_refunded_minor).toBe(0)
  expect(await parked()).toBe(0)
})

describe('the refund of an order that was captured in part', () => {
  test('that fails is owed, and tried again by cancelling once more', async () => {
    const buyer = await shop.buyer()
    const order = await buyer.order({ [await shop.product()]: 1 })
    await shop.captureAtProvider(order, part)
    await known(order)
    const refuses = { path: '/v1/refunds', method: 'POST' }
    await world.fault({ action: 'http', status: 400, match: refuses })
    await cancel(buyer, order)
    await buyer.pays(order.id, 'captured')
    await cancel(buyer, order)
    await buyer.pays(order.id, 'refunded')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture', 'refund'])
  })

  test('that bounces days later is owed again', async () => {
    const buyer = await shop.buyer()
    const order = await buyer.order(
      { [await shop.product()]: 1 },
      { payment: { payment_method: 'pm_card_refundFail' } },
    )
    await shop.captureAtProvider(order, part)
    await known(order)
    await cancel(buyer, order)
    await buyer.pays(order.id, 'refunded')
    await world.control('clock', { advance_s: 4 * 86_400 })
    await buyer.pays(order.id, 'captured')
    await cancel(buyer, order)
    await buyer.pays(order.id, 'refunded')
    expect(await parked()).toBe(0)
  })

  test('that was made in payments stops no other event, and is not made again', async () => {
    const buyer = await shop.buyer()
    const order = await buyer.order({ [await shop.product()]: 1 })
    await shop.captureAtProvider(order, part)
    const { id: intent_id } = await known(order)
    const refund = await shop.manager.ask('POST', '/v1/refunds', { intent_id })
    expect(refund.status, refund.text).toBe(201)
    await cancel(buyer, order)
    await buyer.pays(order.id, 'released')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture', 'refund'])
    await buyer.order({ [await shop.product()]: 1 })
    expect(await parked()).toBe(0)
  })
})

test('a part that was captured while the order was being shipped is accepted by an operator', async () => {
  const operator = await world.merchant()
  const buyer = await shop.buyer()
  const sku = await shop.product({ stock: 1 })
  const order = await buyer.order({ [sku]: 1 })
  await world.control('config', { webhook_url: null })
  const held = holdAt(world.platform.faults, 'payments.before_call')
  const shipping = shop.ship(order)
  await held.reached()
  await shop.captureAtProvider(order, part)
  held.release()
  const pending = await shipping
  expect([pending.status, pending.body.state]).toEqual([202, 'awaiting_capture'])
  const { body } = await shop.manager.ask('GET', `/v1/payment-intents?order_ref=${order.id}`)
  const [{ id: intent_id }] = body.data
  const itemOf = async () =>
    await eventually('there is an item', async () =>
      (await items(operator, 'amount_mismatch')).find(
        one => one.local_ref === intent_id && one.state === 'open',
      ),
    )
  const resolve = async (resolution: 'resolved' | 'ignored') => {
    const { id } = await itemOf()
    const decision = { resolution, note: 'Captured in the dashboard.' }
    const answer = await operator.ask('POST', `/v1/reconciliation-items/${id}/resolve`, decision)
    expect(answer.status, answer.text).toBe(200)
  }
  // The capture still waits, so ignoring asks again.
  await resolve('ignored')
  await resolve('resolved')
  await eventually('the shipment can be prepared again', async () => {
    const { shipments } = await buyer.read(order.id)
    return shipments.at(-1).state === 'preparing'
  })
  expect(await known(order)).toMatchObject({ amount_captured_minor: 100 })
  expect(await world.events(intent_id)).toEqual(
    expect.arrayContaining(['payment.capture_failed', 'payment.captured']),
  )
  const webhook_url = `${world.url}/v1/providers/stripe/webhooks`
  await world.control('config', { webhook_url })
  await cancel(buyer, order)
  await buyer.pays(order.id, 'refunded')
  expect(await shop.money(order.id)).toEqual(['authorize', 'capture', 'refund'])
  expect(await shop.stock(sku)).toMatchObject({ on_hand: 1, reserved: 0 })
  await shop.sound()
  await world.sound()
})
