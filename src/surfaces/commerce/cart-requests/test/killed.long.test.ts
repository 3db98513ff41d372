/**
 * SIGKILL at each point of an attempt to pay a cart on its page: the same attempt again, or another one
 * from another tab, ends with one order, one payment that holds money, and a paid request.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killedAt } from '../../../../../test/crash.ts'
import { call, eventually } from '../../../../../test/world.ts'
import { inTurns } from '../../../../../test/in-turns.ts'
import { payerOf } from '../../../payments/pages/test/payer.ts'
import { newAddress } from '../../test/guests.ts'
import { openShopWorld, type Shop, type ShopWorld } from '../../test/shop-world.ts'

let world: ShopWorld
let shop: Shop
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  world = await openShopWorld({
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    COMMERCE_PAYMENT_WAIT_MS: '2000',
    // The operation of a dead process is held for six times this, and five seconds.
    PAYMENTS_PROVIDER_TIMEOUT_MS: '1000',
  })
  shop = await world.shop()
  payer = payerOf(world)
})
afterAll(() => world.close())

const points = [
  'commerce.after_place',
  'commerce.before_ask',
  'payments.after_operation',
  'payments.before_handle',
  'payments.after_handle',
  'payments.before_call',
  'payments.after_call',
  'payments.in_apply',
  'commerce.in_confirm',
]

async function asks() {
  const guest = await shop.guest()
  const sku = await shop.product({ stock: 1 })
  const cart = await guest.cart({ [sku]: 1 })
  const path = `/v1/carts/${cart}/payment-request`
  const { body } = await guest.ask('POST', path, { email: newAddress() })
  return { guest, sku, cart, path, url: body.url as string }
}

const attemptOf = async (card?: string) => ({
  provider: 'stripe',
  payment_method: await payer.token(card),
  attempt_id: crypto.randomUUID(),
})

async function killed(point: string, url: string, body: object): Promise<void> {
  const { pathname, search } = new URL(url)
  const at = `${pathname}/attempts${search}`
  await killedAt(world, point, to => call(to, 'POST', at, { body }), 1, 'product')
}

const each_twice = points.flatMap(point => [[point, 'same'] as const, [point, 'another'] as const])

test.each(inTurns(5, each_twice))(
  'killed at %s; then %s attempt: one order',
  async (point, which) => {
    const { guest, sku, cart, path, url } = await asks()
    const first = await attemptOf()
    await killed(point, url, first)
    const next = which === 'same' ? first : await attemptOf()
    await eventually('the payer is answered', async () => {
      const { status } = await payer.send(url, next)
      return status === 200 || (which === 'another' && (await payer.state(url)).state === 'paid')
    })
    await eventually('it is paid', async () => (await guest.ask('GET', path)).body.state === 'paid')
    const { order_id, state } = (await guest.ask('GET', `/v1/carts/${cart}`)).body
    expect(state).toBe('ordered')
    const { data } = (await guest.ask('GET', '/v1/orders')).body
    const won = (data as { id: string; state: string }[]).filter(one => one.state === 'confirmed')
    expect(won.map(one => one.id)).toEqual([order_id])
    expect(await shop.money(order_id)).toEqual(['authorize'])
    expect(await shop.stock(sku)).toMatchObject({ on_hand: 1, reserved: 1 })
    await shop.sound()
  },
)

const releasing = ['commerce.before_ask', 'payments.after_operation', 'payments.after_call']

test.each(inTurns(3, releasing))(
  'killed at %s while the first payment is released: one order, and the first holds nothing',
  async point => {
    const { guest, path, cart, url } = await asks()
    await payer.send(url, await attemptOf('pm_card_threeDSecure2Required'))
    const first = (await guest.ask('GET', `/v1/carts/${cart}`)).body.order_id
    const next = await attemptOf()
    await killed(point, url, next)
    await eventually('the payer is answered', async () => {
      return (await payer.send(url, next)).status === 200
    })
    expect((await guest.ask('GET', path)).body.state).toBe('paid')
    const { order_id } = (await guest.ask('GET', `/v1/carts/${cart}`)).body
    expect(order_id).not.toBe(first)
    await guest.pays(first, 'released')
    expect(await shop.money(order_id)).toEqual(['authorize'])
    await shop.sound()
  },
)
