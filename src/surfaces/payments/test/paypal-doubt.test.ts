/** Answers of PayPal that are lost, doubled or wrong: one hold, one charge, one refund, or an item. */
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { items, type Merchant } from './payment-world.ts'
import { openPayPalWorld, return_url, type PayPalWorld } from './paypal-world.ts'

let world: PayPalWorld
beforeAll(async () => {
  world = await openPayPalWorld({
    PAYMENTS_PROVIDER_TIMEOUT_MS: '400',
    PAYMENTS_BREAKER_OPEN_MS: '10',
    PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
  })
})
beforeEach(() => world.at.control('faults', {}, 'DELETE'))
afterAll(() => world.close())

const lost = [
  { mode: 'timeout_after_accept' },
  { mode: 'timeout_before_accept' },
  { mode: 'reset_after_accept', times: 2 },
  { mode: 'fail_after_accept' },
  { mode: 'conflict_after_accept' },
  { mode: 'garbage' },
  { mode: 'truncate' },
  { mode: 'drop_connection' },
]
const effects = async (shop: Merchant, id: string) =>
  await world.at.effects(await world.handleOf(shop, id))
const kinds = async (shop: Merchant, id: string) => (await effects(shop, id)).map(one => one.kind)

// One after the other, because a fault strikes the next request of its kind.
describe.each(lost)('an answer is lost: $mode', fault => {
  test('to the order and to the way to its payer', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent({ provider: 'paypal' })
    await world.at.fault({ to: 'create', ...fault })
    await world.at.fault({ to: 'confirm', ...fault })
    await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
      payment_method: 'paypal',
      return_url,
    })
    await shop.reaches(id, 'requires_action')
    const { next_action } = await shop.read(id)
    expect(next_action.url).toContain(await world.handleOf(shop, id))
  })

  test('to the authorization, the capture and the refund', async () => {
    const shop = await world.merchant()
    const { id } = await world.asked(shop)
    await world.at.fault({ to: 'authorize', ...fault })
    await world.at.approve(await world.handleOf(shop, id))
    await shop.reaches(id, 'authorized')
    await world.at.fault({ to: 'capture', ...fault })
    await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    await shop.reaches(id, 'captured')
    await world.at.fault({ to: 'refund', ...fault })
    await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 1000 })
    await eventually('it is refunded', async () => {
      const found = await shop.read(id)
      return found.amount_refunded_minor === 1000
    })
    expect(await kinds(shop, id)).toEqual(['authorization', 'capture', 'refund'])
    await world.sound()
  })

  test('to the release', async () => {
    const shop = await world.merchant()
    const { id } = await world.authorized(shop)
    await world.at.fault({ to: 'void', ...fault })
    await shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
    await shop.reaches(id, 'cancelled')
    expect(await kinds(shop, id)).toEqual(['authorization', 'void'])
  })
})

/** As if the operation had been sent so long ago. */
const age = (shop: Merchant, hours: number) =>
  world.platform.kernel.db.run(sql`
    update payments.payment_operations
    set sent_at = now() - make_interval(hours => ${hours}), due_at = kernel.now()
    where tenant_id = ${shop.tenant.id} and due_at is not null`)
const pending = async (shop: Merchant, id: string) => (await shop.read(id)).pending_operation
const clear = () => world.at.control('faults', {}, 'DELETE')

test.each(['payments.before_call', 'payments.after_call'])(
  'broken off at %s, the resolver holds once, and takes once',
  async point => {
    const shop = await world.merchant()
    const { id } = await world.asked(shop)
    const { faults } = world.platform
    faults.set({ point, action: 'throw', times: 1 })
    await world.at.approve(await world.handleOf(shop, id))
    await shop.reaches(id, 'authorized')
    faults.clear()
    faults.set({ point, action: 'throw', times: 1 })
    const broken = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    expect(broken.status).toBe(500)
    faults.clear()
    await age(shop, 0)
    await shop.reaches(id, 'captured')
    expect(await kinds(shop, id)).toEqual(['authorization', 'capture'])
  },
)

test('after five hours a capture and a refund are only read, never sent again', async () => {
  const shop = await world.merchant()
  const { id } = await world.authorized(shop)
  await world.at.fault({ to: 'capture', mode: 'reject_temp', times: 1000 })
  await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
  await age(shop, 6)
  await clear()
  await eventually('it was looked at', async () => {
    await age(shop, 6)
    return (await lastError(shop)) === 'outcome_not_visible'
  })
  expect(await kinds(shop, id)).toEqual(['authorization'])
  // What happened at PayPal after all counts.
  await age(shop, 0)
  await shop.reaches(id, 'captured')
  await world.at.fault({ to: 'refund', mode: 'reject_temp', times: 1000 })
  await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 1000 })
  await age(shop, 6)
  await clear()
  await eventually('it was looked at', async () => {
    await age(shop, 6)
    return (await lastError(shop)) === 'refund_not_visible'
  })
  expect(await kinds(shop, id)).toEqual(['authorization', 'capture'])
})

const lastError = async (shop: Merchant) => {
  const { code } = await world.platform.kernel.db.one(
    Type.Object({ code: Type.Union([Type.String(), Type.Null()]) }),
    sql`
      select max(last_error_code) as code from payments.payment_operations
      where tenant_id = ${shop.tenant.id} and due_at is not null`,
  )
  return code
}

test('a hold in doubt for too long is finished with its key, and then released', async () => {
  const shop = await world.merchant()
  const { id } = await world.asked(shop)
  const order = await world.handleOf(shop, id)
  await world.at.fault({ to: 'authorize', mode: 'reject_temp', times: 1000 })
  await world.at.approve(order)
  await eventually('it is in doubt', async () => (await pending(shop, id))?.state !== undefined)
  await clear()
  // An attempt that is under way has no time to be old.
  await eventually('it is over', async () => {
    await age(shop, 1)
    return (await shop.read(id)).state === 'cancelled'
  })
  const over = await shop.reaches(id, 'cancelled')
  expect(over.cancellation_reason).toBe('unresolved_fenced')
  expect(await kinds(shop, id)).toEqual(['authorization', 'void'])
  await world.sound()
})

test('a hold whose answer was lost is not wanted any more: it is released, and no second one is made', async () => {
  const shop = await world.merchant()
  const { id } = await world.asked(shop)
  await world.at.fault({ to: 'authorize', mode: 'fail_after_accept', times: 1 })
  await world.at.fault({ to: 'read', mode: 'reject_temp', times: 3 })
  await world.at.approve(await world.handleOf(shop, id))
  await age(shop, 1)
  await eventually('it is over', async () => {
    const { state } = await shop.read(id)
    return state === 'authorized' || state === 'cancelled'
  })
  await clear()
  const made = await kinds(shop, id)
  expect(made.filter(one => one === 'authorization')).toHaveLength(1)
})

describe('PayPal is wrong about the amount', () => {
  const itemOf = (shop: Merchant, local_ref: string) =>
    eventually('there is an item', async () =>
      (await items(shop, 'amount_mismatch')).find(one => one.local_ref === local_ref),
    )

  test('of a hold: nothing is posted', async () => {
    const shop = await world.merchant()
    const { id } = await world.asked(shop)
    await world.at.fault({ to: 'authorize', mode: 'other_amount' })
    await world.at.approve(await world.handleOf(shop, id))
    expect(await itemOf(shop, id)).toMatchObject({ state: 'open' })
    expect((await shop.read(id)).state).toBe('requires_action')
    expect(await world.balances(shop)).toEqual({})
  })

  test('of a capture: nothing is posted, whoever says it twice', async () => {
    const shop = await world.merchant()
    const { id } = await world.authorized(shop)
    await world.at.fault({ to: 'capture', mode: 'other_amount' })
    const { status } = await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    expect(status).toBe(202)
    expect(await itemOf(shop, id)).toMatchObject({ state: 'open' })
    expect(await world.balances(shop)).toEqual({})
    expect(await kinds(shop, id)).toEqual(['authorization', 'capture'])
  })

  test('of a refund: it waits for an operator', async () => {
    const shop = await world.merchant()
    const { id } = await world.captured(shop)
    await world.at.fault({ to: 'refund', mode: 'other_amount' })
    const { body } = await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 2000 })
    expect(await itemOf(shop, body.operation_id)).toMatchObject({ state: 'open' })
    expect((await shop.read(id)).amount_refunded_minor).toBe(0)
    await world.sound()
  })
})

test('a token that PayPal does not know any more is renewed, and nothing is sent twice', async () => {
  const shop = await world.merchant()
  await world.at.control('expire-tokens')
  const { id } = await world.captured(shop)
  expect(await kinds(shop, id)).toEqual(['authorization', 'capture'])
})
