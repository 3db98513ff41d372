/** A cart that is paid on the page of its payment request: one order, or the cart is whole again. */
import { afterAll, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../../test/world.ts'
import { arrived } from '../../../../../test/inbox.ts'
import { payerOf } from '../../../payments/pages/test/payer.ts'
import { openShopWorld, type Buyer } from '../../test/shop-world.ts'
import { newAddress } from '../../test/guests.ts'

const world = await openShopWorld()
const shop = await world.shop()
const payer = payerOf(world)
afterAll(() => world.close())

const path = (cart: string) => `/v1/carts/${cart}/payment-request`

async function asks(more: object = {}, given?: Buyer) {
  const guest = given ?? (await shop.guest())
  const sku = await shop.product({ amount_minor: 1000, stock: 3 })
  const cart = await guest.cart({ [sku]: 2 })
  const email = newAddress()
  const made = await guest.ask('POST', path(cart), { email, ...more })
  expect(made.status, made.text).toBe(201)
  const read = async () => (await guest.ask('GET', path(cart))).body
  const cartNow = async () => (await guest.ask('GET', `/v1/carts/${cart}`)).body
  return {
    guest,
    sku,
    cart,
    email,
    read,
    cartNow,
    request: made.body,
    url: made.body.url as string,
  }
}

const page = async (url: string, language = 'en') =>
  await (await fetch(payer.at(url), { headers: { 'accept-language': language } })).text()

test('a guest pays a cart on the page: one order, and the way back leads to its page', async () => {
  const { sku, email, read, cartNow, request, url, guest } = await asks()
  expect(request).toMatchObject({ state: 'open', amount_minor: 2975, currency: 'EUR' })
  const shown = await page(url)
  expect(shown).toContain('2 × A thing')
  expect(shown).toMatch(/Shipping<\/th><td>€5\.00/)
  expect(shown).toMatch(/Total<\/th><td>€29\.75/)
  expect(await shop.stock(sku)).toMatchObject({ reserved: 0 })
  const paid = await payer.pay(url)
  expect(paid.status, JSON.stringify(paid.body)).toBe(200)
  expect(paid.body).toMatchObject({ state: 'paid' })
  expect(await shop.stock(sku)).toMatchObject({ reserved: 2 })
  const cart = await cartNow()
  expect(cart.state).toBe('ordered')
  const order = await guest.read(cart.order_id)
  expect(order).toMatchObject({ state: 'confirmed', email, guest: true })
  expect(order.totals.total_minor).toBe(2975)
  expect(await read()).toMatchObject({ state: 'paid' })
  expect(await page(paid.body.return_url)).toContain('2 × A thing')
  expect(await page(url)).toContain('See the order')
  const [mail] = await arrived(world, { email }, 'order.updates')
  expect(mail?.text).toContain('2 × A thing')
  expect(await shop.money(order.id)).toEqual(['authorize'])
  await shop.ship(order)
  await guest.pays(order.id, 'captured')
  await shop.sound()
})

test('declined: the cart is whole again, the stock is free, and another card orders', async () => {
  const { sku, cartNow, read, url, guest } = await asks({ return_url: 'https://shop.test/back' })
  const declined = await payer.pay(url, 'pm_card_visa_chargeDeclined')
  expect([declined.status, declined.body.code]).toEqual([422, 'payment_declined'])
  expect(await cartNow()).toMatchObject({ state: 'open', order_id: null })
  expect(await shop.stock(sku)).toMatchObject({ reserved: 0 })
  expect(await read()).toMatchObject({ state: 'open' })
  const paid = await payer.pay(url)
  expect(paid.body).toMatchObject({ state: 'paid', return_url: 'https://shop.test/back' })
  const late = await payer.pay(url)
  expect([late.status, late.body.code]).toEqual([409, 'request_not_open'])
  const { order_id } = await cartNow()
  expect(await shop.money(order_id)).toEqual(['authorize'])
  expect((await guest.ask('GET', '/v1/orders')).body.data).toHaveLength(2)
})

test('the same attempt twenty times at once, and ten others, order once', async () => {
  const { cartNow, url, guest } = await asks()
  const body = {
    provider: 'stripe',
    payment_method: await payer.token(),
    attempt_id: crypto.randomUUID(),
  }
  const same = Array.from({ length: 20 }, () => payer.send(url, body))
  const others = Array.from({ length: 10 }, () => payer.pay(url))
  const answers = await Promise.all([...same, ...others])
  for (const { status, body: said } of answers) {
    expect([200, 202, 409], JSON.stringify(said)).toContain(status)
  }
  await eventually('it is paid', async () => (await payer.state(url)).state === 'paid')
  const { data } = (await guest.ask('GET', '/v1/orders')).body
  expect(data).toMatchObject([{ state: 'confirmed' }])
  expect(await shop.money((await cartNow()).order_id)).toEqual(['authorize'])
  await shop.sound()
})

test('a changed cart or price, or an ended one, is not paid', async () => {
  const { sku, cart, guest, url } = await asks()
  await guest.ask('PUT', `/v1/carts/${cart}/items/${sku}`, { quantity: 1 })
  const changed = await payer.pay(url)
  expect([changed.status, changed.body.reason]).toEqual([409, 'pricing_changed'])
  const second = await guest.ask('POST', path(cart), { email: newAddress() })
  const ended = await payer.pay(url)
  expect([ended.status, ended.body.code]).toEqual([409, 'request_not_open'])
  const price = { sku, currency: 'EUR', amount_minor: 1100 }
  const priced = await shop.manager.ask('POST', '/v1/price-versions', price)
  expect(priced.status, priced.text).toBe(201)
  const dearer = await payer.pay(second.body.url)
  expect([dearer.status, dearer.body.reason]).toEqual([409, 'pricing_changed'])
  expect((await guest.ask('GET', `/v1/carts/${cart}`)).body.state).toBe('open')
  expect((await guest.ask('GET', '/v1/orders')).body.data).toEqual([])
  await guest.ask('DELETE', `/v1/carts/${cart}`)
  const gone = await payer.pay(second.body.url)
  expect([gone.status, gone.body.code]).toEqual([409, 'request_not_open'])
})

test('a challenge: the page has the next step; paid in another way, the first one is released', async () => {
  const { cartNow, url, guest, read } = await asks()
  const waits = await payer.pay(url, 'pm_card_threeDSecure2Required')
  expect(waits.body).toMatchObject({
    state: 'processing',
    next_action: { type: expect.any(String) },
  })
  const first = (await cartNow()).order_id
  const paid = await payer.pay(url)
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ state: 'paid' })
  const order_id = (await cartNow()).order_id
  expect(order_id).not.toBe(first)
  await guest.pays(first, 'released')
  expect(await shop.money(order_id)).toEqual(['authorize'])
  expect(await read()).toMatchObject({ state: 'paid' })
  await shop.sound()
})

test('the session that asked has ended: nothing is paid with its cart', async () => {
  const { guest, url } = await asks()
  const out = await world.call('DELETE', `/v1/sessions/${guest.session_id}`, { token: guest.token })
  expect(out.status, out.text).toBeLessThan(300)
  const refused = await payer.pay(url)
  expect([refused.status, refused.body.code]).toEqual([409, 'request_not_open'])
})

test('the last unit goes to one of two buyers, and the other keeps the cart', async () => {
  const sku = await shop.product({ stock: 1 })
  const each = [await shop.guest(), await shop.buyer()].map(async buyer => {
    const cart = await buyer.cart({ [sku]: 1 })
    const { body } = await buyer.ask('POST', path(cart), { email: newAddress() })
    return { buyer, cart, url: body.url as string }
  })
  const both = await Promise.all(each)
  const answers = await Promise.all(both.map(one => payer.pay(one.url)))
  const ends = answers.map(one => String(one.body.reason ?? one.body.state))
  expect(new Set(ends)).toEqual(new Set(['insufficient_inventory', 'paid']))
  const loser = both[answers.findIndex(one => one.status === 409)]
  expect((await loser?.buyer.ask('GET', `/v1/carts/${loser.cart}`))?.body.state).toBe('open')
  await shop.sound()
})

test('the shop cancels the request while the bank asks: it ends when the order does', async () => {
  const { url, request, cartNow, guest } = await asks()
  await world.allow(shop.manager, 'payments.requests.read', 'payments.requests.cancel')
  await payer.pay(url, 'pm_card_threeDSecure2Required')
  const { order_id } = await cartNow()
  const at = `/v1/payment-requests/${request.id}`
  expect((await shop.manager.ask('POST', `${at}/cancel`)).status).toBe(202)
  await guest.reaches(order_id, 'payment_failed')
  expect((await shop.manager.ask('GET', at)).body).toMatchObject({ state: 'cancelled' })
  expect(await cartNow()).toMatchObject({ state: 'open' })
})

test('the page speaks German and names the shop; one key makes one request', async () => {
  const { guest, cart, url } = await asks()
  const german = await page(url, 'de-AT,de;q=0.9')
  expect(german).toContain('<html lang="de">')
  expect(german).toMatch(/Summe<\/th><td>29,75\s€/)
  expect(german).toContain(`an ${shop.manager.tenant.slug}`)
  await guest.ask('PUT', `/v1/carts/${cart}`, { locale: 'de' })
  const key = newKey()
  const body = { email: newAddress() }
  const [one, again] = [
    await guest.ask('POST', path(cart), body, key),
    await guest.ask('POST', path(cart), body, key),
  ]
  expect(again.body).toEqual(one.body)
  expect(await page(one.body.url, 'en')).toContain('<html lang="de">')
})

test('a guest says an address; strangers and empty carts get no request', async () => {
  const { cart, guest } = await asks()
  const other = await shop.guest()
  expect((await other.ask('POST', path(cart), { email: newAddress() })).status).toBe(404)
  expect((await other.ask('GET', path(cart))).status).toBe(404)
  expect((await guest.ask('POST', path(cart), {})).body.code).toBe('validation_failed')
  await guest.ask('POST', '/v1/carts', { currency: 'EUR', id: cart.replace(/^./, '1') })
  const empty = await guest.ask('POST', path(cart.replace(/^./, '1')), { email: newAddress() })
  expect(empty.body.code).toBe('cart_empty')
})
