/** What a guest may order, and the mails about orders: in their language, with their lines, in the words of the shop. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arrived, inbox, prove } from '../../../../test/inbox.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { category, newAddress, openGuestShop } from './guests.ts'
import { visa, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  ;({ world, shop } = await openGuestShop({
    COMMERCE_GUEST_PENDING_ORDERS: '5',
    COMMERCE_GUEST_DECLINES_PER_HOUR: '3',
  }))
})
afterAll(() => world.close())

describe('a checkout of a guest', () => {
  test('needs an address', async () => {
    const guest = await shop.guest()
    const sku = await shop.product()
    const cart_id = await guest.cart({ [sku]: 1 })
    for (const [more, constraint] of [
      [{}, 'required'],
      [{ email: 'a,b@example.test' }, 'email'],
    ] as const) {
      const { status, body } = await guest.checkout(cart_id, { ...visa, ...more })
      expect([status, body.errors]).toMatchObject([422, [{ pointer: '/email', constraint }]])
    }
  })

  test('needs a proven address if it costs nothing', async () => {
    const guest = await shop.guest()
    const sku = await shop.product({ amount_minor: 0, requires_shipping: false })
    const cart_id = await guest.cart({ [sku]: 1 })
    const { status, body } = await guest.checkout(cart_id, { email: newAddress() })
    expect([status, body.code]).toEqual([403, 'proven_address_required'])
    const buyer = await shop.buyer()
    const own = await buyer.checkout(await buyer.cart({ [sku]: 1 }), {})
    expect(own.status, own.text).toBe(201)
  })

  test('is refused after too many declined cards of its network', async () => {
    const sku = await shop.product()
    const buy = async (payment_method: string, from: string) => {
      const guest = await shop.guest()
      const cart_id = await guest.cart({ [sku]: 1 })
      const body = { cart_id, email: newAddress(), payment: { payment_method } }
      const headers = { 'x-forwarded-for': from }
      const { token } = guest
      return await world.call('POST', '/v1/checkouts', { token, key: newKey(), body, headers })
    }
    const stolen = 'pm_card_visa_chargeDeclinedStolenCard'
    const codes = []
    for (let n = 0; n < 4; n++) codes.push((await buy(stolen, '198.51.100.7')).body.code)
    expect(codes).toEqual([...Array.from({ length: 3 }, () => 'payment_declined'), 'rate_limited'])
    expect((await buy('pm_card_visa', '198.51.100.7')).status).toBe(429)
    expect((await buy('pm_card_visa', '198.51.100.8')).status).toBe(201)
    await shop.sound()
  })

  test('is one of five of its network that wait for their payment', async () => {
    const sku = await shop.product({ stock: 1000 })
    const payment = {
      payment_method: 'pm_card_authenticationRequired',
      return_url: 'https://shop.test/back',
    }
    const ask = async (guest: Buyer, cart_id: string, from: string) =>
      await world.call('POST', '/v1/checkouts', {
        token: guest.token,
        key: newKey(),
        body: { cart_id, email: newAddress(), payment },
        headers: { 'x-forwarded-for': from },
      })
    const guests = await Promise.all(Array.from({ length: 20 }, () => shop.guest()))
    const carts = await Promise.all(
      guests.map(async guest => [guest, await guest.cart({ [sku]: 1 })] as const),
    )
    const answers = await Promise.all(
      carts.map(([guest, cart_id]) => ask(guest, cart_id, '203.0.113.7')),
    )
    expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 5 }, () => 202),
      ...Array.from({ length: 15 }, () => 429),
    ])
    const at = answers.findIndex(one => one.status === 202)
    const [waiting] = carts[at] ?? []
    const other = carts.find((_, place) => answers[place]?.status === 429)
    if (!waiting || !other) throw new Error('none was refused')
    expect((await ask(...other, '203.0.113.8')).status).toBe(202)
    const cancelled = await waiting.ask('POST', `/v1/orders/${answers[at]?.body.id}/cancel`, {})
    expect(cancelled.status, cancelled.text).toBe(200)
    const last = carts.findLast((_, place) => answers[place]?.status === 429)
    if (!last) throw new Error('none was refused')
    expect((await ask(...last, '203.0.113.7')).status).toBe(202)
    await shop.sound()
  })
})

describe('mails of orders', () => {
  test('have the lines, in the language of the cart, and follow the order', async () => {
    const guest = await shop.guest()
    const email = newAddress()
    const sku = await shop.product({ amount_minor: 1250 })
    const cart_id = await guest.cart({ [sku]: 2 }, { locale: 'de-CH' })
    const placed = await guest.checkout(cart_id, { ...visa, email })
    expect(placed.body).toMatchObject({ state: 'confirmed', locale: 'de-CH', guest: true })
    const order = placed.body
    const [confirmed] = await arrived(world, { email }, category)
    expect(confirmed?.subject).toBe(`Ihre Bestellung ${order.number} ist bestätigt`)
    for (const says of ['2 × A thing: 25,00', 'Versand: 5,00', 'Summe: 35,70']) {
      expect(confirmed?.text.replaceAll('\u00A0', ' ')).toContain(says)
    }
    await guest.pays(order.id, 'captured')
    const lines = [{ order_line_id: order.lines[0].id, quantity: 2 }]
    const parcel = { lines, carrier: 'DHL', tracking_number: '0034' }
    expect(
      (await shop.manager.ask('POST', `/v1/orders/${order.id}/shipments`, parcel)).status,
    ).toBe(201)
    const [shipped] = await arrived(world, { email }, category, 2)
    expect(shipped?.subject).toBe(`Ihre Bestellung ${order.number} ist unterwegs`)
    expect(shipped?.text).toContain('DHL 0034')
  })

  test('are worded by the shop, whose template may have no text for mails', async () => {
    const own = await world.shop()
    await world.allow(
      own.manager,
      'notifications.templates.write',
      'notifications.templates.publish',
    )
    const reword = async (channels: object) => {
      const name = 'commerce.order_confirmed'
      const body = { name, default_locale: 'en', channels }
      const made = await own.manager.ask('POST', '/v1/notification-templates', body)
      expect(made.status, made.text).toBe(201)
      const path = `/v1/notification-templates/${name}/versions/${made.body.version}/publish`
      const published = await own.manager.ask('POST', path)
      expect(published.status, published.text).toBe(200)
    }
    const subject = 'Hooray, number {{ order.number }}'
    const text = '{% for line in order.lines %}{{ line.sku }} {% endfor %}{{ page_url }}'
    await reword({ email: { subject, body: text, format: 'text' } })
    const guest = await own.guest()
    const sku = await own.product()
    const email = newAddress()
    const first = await guest.order({ [sku]: 1 }, { email })
    const [mail] = await arrived(world, { email }, category)
    expect(mail?.subject).toBe(`Hooray, number ${first.number}`)
    expect(mail?.text).toContain(`${sku} http://dodeca.test/orders/${first.id}?exp=`)

    await reword({ in_app: { title: 'Thanks', body: 'Number {{ order.number }}' } })
    const person = await own.buyer()
    await prove(world, person)
    await person.order({ [sku]: 1 })
    await eventually('the inbox has the own text', async () => {
      return (await person.ask('GET', '/v1/inbox')).text.includes('Thanks')
    })
    expect(await inbox(world, person, category)).toEqual([])
  })

  test('to an address that is not proven are five an hour; a proven one gets all', async () => {
    const email = newAddress()
    const sku = await shop.product()
    const refused = async () => {
      const { text } = await world.call('GET', '/metrics')
      return Number(/rate_limited_total\{class="commerce"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    const before = await refused()
    for (let n = 0; n < 7; n++) await (await shop.guest()).order({ [sku]: 1 }, { email })
    await eventually('the last two are left out', async () => (await refused()) >= before + 2)
    expect(await arrived(world, { email }, category, 5)).toHaveLength(5)
    const person = await shop.buyer()
    await prove(world, person)
    for (let n = 0; n < 6; n++) {
      await person.order({ [sku]: 1 }, n % 2 === 0 ? { email: person.email.toUpperCase() } : {})
    }
    await eventually('all six arrive', async () => {
      const all = [person.email, person.email.toUpperCase()]
      const mails = await Promise.all(all.map(one => inbox(world, { email: one }, category)))
      return new Set(mails.flat().map(one => one.ref)).size === 6
    })
  })
})
