/** The page of a cart with a card and PayPal: whatever is tried where, one order is paid once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { payerOf } from '../../../payments/pages/test/payer.ts'
import { newAddress } from '../../test/guests.ts'
import { openPayPalShop } from '../../test/paypal-shop.ts'

let at: Awaited<ReturnType<typeof openPayPalShop>>
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  at = await openPayPalShop()
  payer = payerOf(at.world)
})
afterAll(() => at.world.close())

async function asks() {
  const guest = await at.shop.guest()
  const sku = await at.shop.product({ stock: 2 })
  const cart = await guest.cart({ [sku]: 1 })
  const path = `/v1/carts/${cart}/payment-request`
  const { body } = await guest.ask('POST', path, { email: newAddress() })
  const orders = async (): Promise<{ id: string; state: string }[]> =>
    (await guest.ask('GET', '/v1/orders')).body.data
  const orderNow = async (): Promise<string> =>
    (await guest.ask('GET', `/v1/carts/${cart}`)).body.order_id
  const stateNow = async (): Promise<string> => (await guest.ask('GET', path)).body.state
  const reaches = (state: string) =>
    eventually(`it is ${state}`, async () => (await stateNow()) === state)
  const url = body.url as string
  return { guest, sku, url, orders, orderNow, stateNow, reaches, isPaid: () => reaches('paid') }
}

const redirected = (url: string, attempt_id: string = crypto.randomUUID()) =>
  payer.send(url, { provider: 'paypal', payment_method: 'paypal', attempt_id })

/** The payer can still approve it. */
async function waitsAtPayPal(order_id: string): Promise<boolean> {
  const { body } = await at.shop.manager.ask('GET', `/v1/payment-intents?order_ref=${order_id}`)
  const [intent] = body.data as { state: string; provider: string }[]
  return intent?.provider === 'paypal' && intent.state === 'requires_action'
}

test('the page has both, and PayPal pays the order once, also if the attempt is repeated', async () => {
  const { url, orderNow, isPaid, guest } = await asks()
  const html = await (await fetch(payer.at(url))).text()
  expect(html).toContain('id="element"')
  expect(html).toContain('Pay with PayPal')
  const attempt_id = crypto.randomUUID()
  const first = await redirected(url, attempt_id)
  expect(first.body).toMatchObject({ state: 'processing' })
  expect(first.body.next_action.url).toContain('/checkoutnow?token=')
  expect((await redirected(url, attempt_id)).body).toEqual(first.body)
  const id = await orderNow()
  await at.approve(id)
  await isPaid()
  expect(await guest.read(id)).toMatchObject({
    state: 'confirmed',
    payment: { provider: 'paypal' },
  })
  expect((await redirected(url)).body.code).toBe('request_not_open')
  expect(await at.moneyOf([id])).toEqual(['authorization'])
  await at.shop.sound()
})

test('a card while the payer is at PayPal: the order there is closed, and its open tab takes nothing', async () => {
  const { url, orderNow, isPaid, guest } = await asks()
  await redirected(url)
  const first = await orderNow()
  const card = await payer.pay(url)
  expect(card.status, JSON.stringify(card.body)).toBe(200)
  await isPaid()
  await at.approve(first)
  await guest.pays(first, 'released')
  const second = await orderNow()
  expect(await at.moneyOf([first, second])).toEqual(['authorize'])
  await at.shop.sound()
})

test('PayPal after a challenge and after a decline of a card: one of three orders holds money', async () => {
  const { url, orders, orderNow, isPaid } = await asks()
  expect((await payer.pay(url, 'pm_card_visa_chargeDeclined')).body.code).toBe('payment_declined')
  const waits = await payer.pay(url, 'pm_card_threeDSecure2Required')
  expect(waits.body.state).toBe('processing')
  const last = await redirected(url)
  expect(last.body.next_action?.url).toContain('/checkoutnow')
  await at.approve(await orderNow())
  await isPaid()
  const all = await orders()
  expect(all.filter(one => one.state === 'confirmed')).toHaveLength(1)
  expect(all).toHaveLength(3)
  const money = await at.moneyOf(all.map(one => one.id))
  expect(money.filter(one => one === 'authorize' || one === 'authorization')).toEqual([
    'authorization',
  ])
  await at.shop.sound()
})

test('two tabs, one with a card and one at PayPal, at once: one order holds money', async () => {
  const { url, orders, stateNow, sku } = await asks()
  await Promise.all([redirected(url), payer.pay(url), redirected(url), payer.pay(url)])
  await eventually('it is paid', async () => {
    const state = await stateNow()
    for (const one of await orders()) if (await waitsAtPayPal(one.id)) await at.approve(one.id)
    if (state === 'open') await payer.pay(url)
    return state === 'paid'
  })
  const ids = (await orders()).map(one => one.id)
  const releases = ['void', 'cancel']
  await eventually('one holds money', async () => {
    const money = await at.moneyOf(ids)
    const taken = money.filter(one => one.startsWith('authoriz')).length
    return taken - money.filter(one => releases.includes(one)).length === 1
  })
  expect((await orders()).filter(one => one.state === 'confirmed')).toHaveLength(1)
  expect(await at.shop.stock(sku)).toMatchObject({ reserved: 1 })
  await at.shop.sound()
})

test('declined at PayPal after the approval: the cart is whole, and a card orders it', async () => {
  const { url, orderNow, isPaid, reaches } = await asks()
  await redirected(url)
  await at.paypal.fault({ to: 'authorize', mode: 'decline' })
  const first = await orderNow()
  await at.approve(first)
  await reaches('open')
  expect((await payer.pay(url)).status).toBe(200)
  await isPaid()
  expect(await at.moneyOf([first, await orderNow()])).toEqual(['authorize'])
})
