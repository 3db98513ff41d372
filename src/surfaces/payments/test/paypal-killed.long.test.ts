/**
 * SIGKILL of the process that works on a payment at PayPal: while the order is made, while what its
 * payer has approved is held, while it is taken, and while it is refunded or released. Afterwards
 * another process ends the work: one hold, one charge, one refund, and none of them is lost.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { killedAt } from '../../../../test/crash.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { call, eventually, newKey } from '../../../../test/world.ts'
import { inTurns } from '../../../../test/in-turns.ts'
import { endLeases, type Merchant } from './payment-world.ts'
import { openPayPalWorld, return_url, type PayPalWorld } from './paypal-world.ts'

let world: PayPalWorld
let survivor: PlatformProcess | undefined
beforeAll(async () => {
  // This process receives the messages and looks on: the work is done by those that are killed.
  world = await openPayPalWorld({
    ROLES: 'api',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '1000',
    PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
  })
})
afterEach(async () => {
  await survivor?.kill()
  survivor = undefined
})
afterAll(() => world.close())

type Sent = { readonly path: string; readonly body: object; readonly key: string }
const sentTo = (id: string, what: string, body: object = {}): Sent => ({
  path: `/v1/payment-intents/${id}/${what}`,
  body,
  key: newKey(),
})
const sendTo = (url: string, { token }: Merchant, { path, body, key }: Sent) =>
  call(url, 'POST', path, { token, key, body })

/** Killed there, and then the same request again, beside a process that works. */
async function interrupted(point: string, shop: Merchant, sent: Sent): Promise<void> {
  await killedAt(world, point, url => sendTo(url, shop, sent), 1, 'product')
  await goOn(shop)
  await eventually('the same request is answered', async () => {
    const { status } = await sendTo(world.url, shop, sent)
    return status < 409 || status === 422
  })
}

async function goOn(shop: Merchant): Promise<void> {
  await endLeases(world, shop)
  survivor = await startProcess({ ...world.environment, ROLES: 'api,worker' }, 'product')
}

const kinds = async (shop: Merchant, id: string) =>
  (await world.at.effects(await world.handleOf(shop, id))).map(one => one.kind)
const approve = async (shop: Merchant, id: string) =>
  await world.at.approve(await world.handleOf(shop, id))

async function expectTaken(shop: Merchant, id: string): Promise<void> {
  await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
  await shop.reaches(id, 'captured')
  expect(await kinds(shop, id)).toEqual(['authorization', 'capture'])
  await expect(world.sound()).resolves.toBeUndefined()
}

/** An authorized payment, whose approval this process has finished itself. */
async function held(shop: Merchant): Promise<string> {
  const { id } = await world.asked(shop)
  await goOn(shop)
  await approve(shop, id)
  await shop.reaches(id, 'authorized')
  await survivor?.kill()
  return id
}

const making = inTurns(4, [
  'kernel.after_operation',
  'payments.before_call',
  'payments.before_handle',
  'payments.after_handle',
  'payments.after_call',
  'payments.in_apply',
  'kernel.after_commit',
])

test.each(making)('the order is made, killed at %s: one order waits for its payer', async point => {
  const shop = await world.merchant()
  const { id } = await shop.intent({ provider: 'paypal' })
  const wish = { payment_method: 'paypal', return_url }
  await interrupted(point, shop, sentTo(id, 'authorize', wish))
  await shop.reaches(id, 'requires_action')
  await approve(shop, id)
  await shop.reaches(id, 'authorized')
  await expectTaken(shop, id)
})

test.each(inTurns(2, ['payments.before_call', 'payments.after_call']))(
  'its payer has approved, killed at %s: it is held once',
  async point => {
    const shop = await world.merchant()
    const { id } = await world.asked(shop)
    // The message reaches this process, and the one that is killed works on it.
    await killedAt(world, point, async () => await approve(shop, id), 1, 'product')
    await goOn(shop)
    await shop.reaches(id, 'authorized')
    expect(await kinds(shop, id)).toEqual(['authorization'])
    await expectTaken(shop, id)
  },
)

const points = inTurns(4, [
  'kernel.after_operation',
  'payments.before_call',
  'payments.after_call',
  'payments.in_apply',
  'kernel.after_commit',
])

test.each(points)('it is taken, killed at %s: one charge', async point => {
  const shop = await world.merchant()
  const id = await held(shop)
  await interrupted(point, shop, sentTo(id, 'capture'))
  await shop.reaches(id, 'captured')
  expect(await kinds(shop, id)).toEqual(['authorization', 'capture'])
  await expect(world.sound()).resolves.toBeUndefined()
})

test.each(points)('it is released, killed at %s: nothing is held', async point => {
  const shop = await world.merchant()
  const id = await held(shop)
  await interrupted(point, shop, sentTo(id, 'cancel'))
  await shop.reaches(id, 'cancelled')
  expect(await kinds(shop, id)).toEqual(['authorization', 'void'])
})

test.each(points)('it is refunded, killed at %s: one refund', async point => {
  const shop = await world.merchant()
  const id = await held(shop)
  await goOn(shop)
  await expectTaken(shop, id)
  await survivor?.kill()
  const body = { intent_id: id, amount_minor: 1000 }
  await interrupted(point, shop, { path: '/v1/refunds', body, key: newKey() })
  await eventually('it is refunded', async () => {
    const { amount_refunded_minor } = await shop.read(id)
    return amount_refunded_minor === 1000
  })
  expect(await kinds(shop, id)).toEqual(['authorization', 'capture', 'refund'])
  await expect(world.sound()).resolves.toBeUndefined()
})
