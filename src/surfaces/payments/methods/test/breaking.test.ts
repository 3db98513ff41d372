/** Saves, charges and detachments that break off at each step, and a provider that loses answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { holdAt } from '../../../../../test/hold.ts'
import { newKey } from '../../../../../test/world.ts'
import { endLeases, openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf, saving_points } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '2000' })
  cards = cardsOf(world)
})
afterAll(() => world.close())

describe('broken off at', () => {
  test.each(saving_points)(
    '%s: one customer at the provider, one card, one charge',
    async point => {
      const shop = await cards.shop()
      const { id: customer_id } = await cards.customer(shop)
      const { id } = await shop.intent({ customer_id })
      const key = newKey()
      const body = { payment_method: 'pm_card_visa', save: true }
      world.platform.faults.set({ point, action: 'throw', times: 1 })
      expect((await cards.authorize(shop, id, body, key)).status).toBe(500)
      world.platform.faults.clear()
      await cards.authorize(shop, id, body, key)
      await cards.expectOne(shop, id, customer_id)
    },
  )
})

describe('an answer that is lost', () => {
  test.each([
    ['/v1/customers', 'reset_after'],
    ['/v1/customers', 'http'],
    ['/confirm', 'reset_after'],
    ['/confirm', 'http'],
  ])('of %s by %s is found', async (path, action) => {
    const shop = await cards.shop()
    const { id: customer_id } = await cards.customer(shop)
    const { id } = await shop.intent({ customer_id })
    const rule = { action, status: 500, after_effect: true, times: 2, match: { path } }
    await world.fault(rule)
    await cards.authorize(shop, id, { payment_method: 'pm_card_visa', save: true })
    await cards.expectOne(shop, id, customer_id)
    await world.control('faults', {}, 'DELETE')
  })

  test('of the customer for a day, when the key is forgotten: it is found by our id', async () => {
    const shop = await cards.shop()
    const { id: customer_id } = await cards.customer(shop)
    const { id } = await shop.intent({ customer_id })
    world.platform.faults.set({ point: 'payments.after_customer', action: 'throw', times: 1 })
    const body = { payment_method: 'pm_card_visa', save: true }
    expect((await cards.authorize(shop, id, body)).status).toBe(500)
    const { db } = world.platform.kernel
    await db.run(sql`
      update payments.provider_customers
      set sent_at = now() - interval '25 hours'
      where tenant_id = ${shop.tenant.id}`)
    await world.control('clock', { offset_seconds: 25 * 3600 })
    try {
      await cards.expectOne(shop, id, customer_id)
    } finally {
      await world.control('clock', { offset_seconds: 0 })
    }
  })
})

describe('a card that is detached while it is charged', () => {
  const charge = async (point: string) => {
    const shop = await cards.shop()
    const { method } = await cards.saved(shop)
    const { id } = await shop.intent()
    const held = holdAt(world.platform.faults, point)
    const absent = { payment_method: method.id, off_session: true }
    const asked = cards.authorize(shop, id, absent)
    await held.reached()
    const path = `/v1/payment-methods/${method.id}`
    expect((await world.call('DELETE', path, { token: shop.token })).status).toBe(204)
    held.release()
    return { shop, id, answer: await asked }
  }

  test('is not charged, if the provider was not asked before', async () => {
    const { id, answer } = await charge('payments.after_assign')
    expect([answer.status, answer.body.code]).toEqual([422, 'payment_method_invalid'])
    expect(await cards.effects(id)).toEqual([])
  })

  test('is closed for certain, if the attempt broke off', async () => {
    const shop = await cards.shop()
    const { method } = await cards.saved(shop)
    const { id } = await shop.intent()
    world.platform.faults.set({ point: 'payments.after_assign', action: 'throw', times: 1 })
    const absent = { payment_method: method.id, off_session: true }
    expect((await cards.authorize(shop, id, absent)).status).toBe(500)
    world.platform.faults.clear()
    const path = `/v1/payment-methods/${method.id}`
    expect((await world.call('DELETE', path, { token: shop.token })).status).toBe(204)
    await endLeases(world, shop)
    const ended = await shop.reaches(id, 'cancelled')
    expect(ended.cancellation_reason).toBe('unresolved_fenced')
    expect(await cards.effects(id)).toEqual(['cancel'])
  })
})

test('a detachment is repeated until the provider has it', async () => {
  const shop = await cards.shop()
  const { method, intent } = await cards.saved(shop)
  const used = await cards.provider(`payment_intents/${await cards.handle(intent.id)}`)
  const match = { path: `/payment_methods/${used.payment_method}/detach` }
  await world.fault({ action: 'http', status: 500, match })
  await world.fault({ action: 'reset_after', match, times: 2 })
  const path = `/v1/payment-methods/${method.id}`
  expect((await world.call('DELETE', path, { token: shop.token })).status).toBe(204)
  await cards.until('it is detached there', async () => {
    await world.platform.kernel.db.run(sql`
      update payments.payment_methods set due_at = kernel.now()
      where tenant_id = ${shop.tenant.id} and due_at is not null and leased_until is null`)
    world.platform.kernel.wake(['payments.payment_methods'])
    const { customer } = await cards.provider(`payment_methods/${used.payment_method}`)
    return customer === null
  })
  await world.control('faults', {}, 'DELETE')
})
