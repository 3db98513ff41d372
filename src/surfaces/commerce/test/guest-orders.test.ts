/**
 * A guest buys over HTTP and has nothing but the mails: they are in the language of the order, their link
 * opens its page, and the page asks for a code before it says who the buyer is. The person who proves the
 * address of the order gets it.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { arrived, inbox, prove } from '../../../../test/inbox.ts'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { moveClock } from '../../identity/test/second-factor.ts'
import {
  address,
  openShopWorld,
  visa,
  type Buyer,
  type Shop,
  type ShopWorld,
} from './shop-world.ts'

const category = 'order.updates'
const newAddress = () => `guest-${newId()}@example.test`

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld({
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    COMMERCE_GUEST_PENDING_ORDERS: '5',
    COMMERCE_GUEST_DECLINES_PER_HOUR: '3',
  })
  shop = await world.shop({ capture_policy: 'on_confirm' })
})
afterAll(() => world.close())

/** The link to the page, in the newest mail about the order. */
async function linkIn(email: string, many = 1): Promise<string> {
  const [mail] = await arrived(world, { email }, category, many)
  const [, link = ''] = /http:\/\/dodeca\.test(\/orders\/\S+)/.exec(mail?.text ?? '') ?? []
  expect(link).not.toBe('')
  return link
}

const open = (link: string) => world.call('GET', link)
/** Sends a form of the page. */
const send = (link: string, form: string, fields: Record<string, string> = {}): Promise<Answer> => {
  const [path = '', query = ''] = link.split('?')
  const body = new URLSearchParams(fields).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return world.call('POST', `${path}/${form}?${query}`, { body, headers })
}

async function codeFor(link: string, email: string): Promise<string> {
  const before = (await inbox(world, { email }, category)).length
  expect((await send(link, 'codes')).status).toBe(200)
  const [mail] = await arrived(world, { email }, category, before + 1)
  return /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? ''
}

async function bought(more: object = {}, quantity = 1) {
  const guest = await shop.guest()
  const email = newAddress()
  const sku = await shop.product({ amount_minor: 1000 })
  const order = await guest.order({ [sku]: quantity }, { email, ...more })
  return { guest, email, order, sku }
}

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

describe('the page of an order', () => {
  test('shows no address, changes nothing, and is not kept', async () => {
    const { email, order, guest } = await bought()
    const link = await linkIn(email)
    const before = await guest.read(order.id)
    const { status, text, headers } = await open(link)
    expect(status, text).toBe(200)
    expect(text).toContain('1 × A thing')
    for (const hidden of [email, address.name, address.line1, address.postal_code]) {
      expect(text).not.toContain(hidden)
    }
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect((await open(`${link}&utm_source=mail`)).status).toBe(200)
    expect(await guest.read(order.id)).toEqual(before)
  })

  test('opens with its own link only, and not for ever', async () => {
    const [one, other] = [await bought(), await bought()]
    const link = await linkIn(one.email)
    const moved = link.replace(one.order.id, other.order.id)
    const later = link.replace(/exp=\d+/, 'exp=9999999999')
    const elsewhere = link.replace(/shop=[^&]+/, `shop=${newId()}`)
    const [bare = ''] = link.split('?')
    for (const wrong of [moved, later, elsewhere, bare, link.replace('sig=', 'sig=A')]) {
      const { status, body } = await open(wrong)
      expect([status, body.code], wrong).toEqual([403, 'signed_url_invalid'])
      const sent = await send(wrong, 'codes')
      expect([sent.status, sent.body?.code], wrong).toEqual([403, 'signed_url_invalid'])
    }
  })

  test('asks for a return once, however often its form is sent', async () => {
    const { email, order, guest } = await bought({}, 3)
    await guest.pays(order.id, 'captured')
    expect((await shop.ship(order)).status).toBe(201)
    const link = await linkIn(email, 2)
    const { text } = await open(link)
    const request = /name="request" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const line = order.lines[0].id
    const fields = { request, [`line.${line}`]: '2', reason: 'broken', note: '<b>torn</b>' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(link, 'returns', fields)),
    )
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([303]))
    const { returns } = await guest.read(order.id)
    expect(returns).toMatchObject([{ state: 'requested', lines: [{ quantity: 2 }] }])
    const shown = await open(answers[0]?.headers.get('location') ?? '')
    expect(shown.text).toContain('2 × A thing: requested')
    expect(shown.text).not.toContain('torn')

    const more = { ...fields, request: newId() }
    const refused = await send(link, 'returns', more)
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([409, true])
    const changed = await send(link, 'returns', { ...fields, reason: 'other' })
    expect(changed.status).toBe(409)
    for (const wrong of [{ [`line.${line}`]: '-1' }, { reason: 'A B' }, { request: 'x' }]) {
      expect((await send(link, 'returns', { ...more, ...wrong })).status).toBe(422)
    }
    expect((await guest.read(order.id)).returns).toHaveLength(1)
  })

  test('shows the address and erases it with a mailed code', async () => {
    const { email, order, guest } = await bought()
    const link = await linkIn(email)
    const code = await codeFor(link, email)
    const shown = await send(link, 'address', { code })
    expect(shown.status, shown.text).toBe(200)
    for (const says of [email, address.name, address.postal_code])
      expect(shown.text).toContain(says)
    const other = await bought()
    const elsewhere = await send(await linkIn(other.email), 'address', { code })
    expect([elsewhere.status, elsewhere.text.includes(other.email)]).toEqual([403, false])

    // The goods are not sent yet.
    expect((await send(link, 'erasure', { code })).status).toBe(409)
    await guest.pays(order.id, 'captured')
    expect((await shop.ship(order)).status).toBe(201)
    expect((await send(link, 'erasure', { code: '00000000' })).status).toBe(403)
    const erased = await send(link, 'erasure', { code })
    expect(erased.status, erased.text).toBe(200)
    expect(erased.text).toContain('has no address any more')
    expect(await guest.read(order.id)).toMatchObject({
      buyer_erased: true,
      email: null,
      shipping_address: null,
      billing_address: null,
      number: order.number,
      totals: order.totals,
    })
    expect(await tablesWith(email, order.id)).toEqual([])
    expect((await send(link, 'address', { code })).text).not.toContain(address.line1)
    await shop.sound()
  })

  test('takes five wrong codes in an hour', async () => {
    const { email } = await bought()
    const link = await linkIn(email)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(link, 'address', { code: `0000000${n}` })),
    )
    const many = (status: number) => answers.filter(one => one.status === status).length
    expect([many(403), many(429)]).toEqual([5, 15])
    const code = await codeFor(link, email)
    expect((await send(link, 'address', { code })).status).toBe(429)
    for (let n = 0; n < 2; n++) expect((await send(link, 'codes')).status).toBe(200)
    expect((await send(link, 'codes')).status).toBe(429)
  })
})

/** What is left of an order and its mails, apart from the mails of others. */
async function tablesWith(email: string, order_id: string): Promise<string[]> {
  const { db } = world.platform.kernel
  const mark = `%${email}%`
  const found = await db.many(
    Type.Object({ name: Type.String() }),
    sql`
      -- any tenant: one order
      select 'orders' as name from commerce.orders o where o::text like ${mark}
      union all select 'carts' from commerce.carts c
      where c.order_id = ${order_id} and c.shipping_address is not null
      union all select 'destinations' from notifications.destinations d
      where d::text like ${mark}
      union all select 'keys' from notifications.data_keys k where k.owner_id = ${order_id}
      union all select 'attempts' from notifications.notification_intents i
      join notifications.delivery_attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id
      where i.recipient_ref = ${`order_mail:${order_id}`}
        and (a.masked is not null or a.destination_hash is not null)`,
  )
  return found.map(one => one.name)
}

describe('the orders of a guest', () => {
  const claim = (buyer: Buyer) => buyer.ask('POST', '/v1/orders/claims')

  test('go to the person who has proven their address, and to no other account', async () => {
    const { guest, order, sku } = await bought()
    const person = await shop.buyer()
    const email = person.email
    const mine = await guest.order({ [sku]: 1 }, { email: email.toUpperCase() })
    await guest.pays(mine.id, 'captured')
    expect((await shop.ship(mine)).status).toBe(201)
    const lines = [{ order_line_id: mine.lines[0].id, quantity: 1, reason_code: 'broken' }]
    const returned = await guest.ask('POST', '/v1/returns', { order_id: mine.id, lines })
    expect(returned.status, returned.text).toBe(201)

    for (const unproven of [guest, await shop.guest()]) {
      const { status, body } = await claim(unproven)
      expect([status, body.code]).toEqual([403, 'proven_address_required'])
    }
    const stranger = await shop.buyer()
    const foreign = await world.shop()
    for (const other of [stranger, foreign.manager]) {
      await prove(world, other)
      expect((await claim(other)).body).toEqual({ order_ids: [], more: false })
    }
    expect((await claim(person)).status).toBe(403)
    await prove(world, person)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(person)))
    expect(claims.flatMap(one => one.body.order_ids)).toEqual([mine.id])
    expect((await person.read(mine.id)).buyer_id).toBe(person.id)
    expect((await person.ask('GET', `/v1/returns/${returned.body.id}`)).status).toBe(200)
    expect((await guest.ask('GET', `/v1/orders/${mine.id}`)).status).toBe(404)
    expect((await guest.ask('GET', `/v1/returns/${returned.body.id}`)).status).toBe(404)
    expect((await guest.read(order.id)).buyer_id).toBe(guest.id)

    const { token } = person
    const exported = await world.call('GET', '/v1/me/export', { token })
    expect(exported.text).toContain(mine.id)
    const kept = await world.call('GET', '/v1/me/export', { token: stranger.token })
    expect(kept.text).not.toContain(mine.id)
    const erased = await world.call('DELETE', `/v1/accounts/${person.id}`, { token })
    expect(erased.status, erased.text).toBe(204)
    await eventually('the claimed order is erased', async () => {
      const { body } = await shop.manager.ask('GET', `/v1/orders/${mine.id}`)
      return body.buyer_erased && body.email === null
    })
    expect(await tablesWith(email, mine.id)).toEqual([])
  })

  test('stay with a guest who became a person, and while they wait for their payment', async () => {
    const { guest, sku } = await bought()
    const person = await shop.buyer()
    await prove(world, person)
    const { email } = person
    const order = await guest.order({ [sku]: 1 }, { email })
    const waits = await shop.guest()
    const payment = {
      payment_method: 'pm_card_authenticationRequired',
      return_url: 'https://shop.test/back',
    }
    const pending = await waits.checkout(await waits.cart({ [sku]: 1 }), { email, payment })
    expect(pending.status, pending.text).toBe(202)

    const { token } = guest
    const own = newAddress()
    await world.call('POST', '/v1/email-changes', { token, body: { email: own } })
    const proof = { token: (await world.mails(own)).at(-1)?.token }
    const proven = await world.call('POST', '/v1/email-verifications', { token, body: proof })
    expect(proven.status, proven.text).toBe(201)
    expect((await claim(person)).body).toEqual({ order_ids: [], more: false })
    const now = shop.as({ ...guest, token: proven.body.session.access_token })
    expect((await now.read(order.id)).buyer_id).toBe(guest.id)
    const cancelled = await waits.ask('POST', `/v1/orders/${pending.body.id}/cancel`, {})
    expect(cancelled.status, cancelled.text).toBe(200)
    expect((await claim(person)).body.order_ids).toEqual([pending.body.id])
  })

  test('are moved although both have used one key', async () => {
    const person = await shop.buyer()
    await prove(world, person)
    const guest = await shop.guest()
    const sku = await shop.product()
    const key = newKey()
    const more = { ...visa, email: person.email }
    const theirs = await person.checkout(await person.cart({ [sku]: 1 }), more, key)
    const cart_id = await guest.cart({ [sku]: 1 })
    const first = await guest.checkout(cart_id, more, key)
    expect([theirs.status, first.status]).toEqual([201, 201])
    expect((await claim(person)).body.order_ids).toEqual([first.body.id])
    const again = await guest.checkout(cart_id, more, key)
    expect([again.status, again.body.id]).toEqual([201, first.body.id])
  })
})

test('the link to the page of an order ends after 180 days', async () => {
  const { email } = await bought()
  const link = await linkIn(email)
  await moveClock(world, 179 * 86_400)
  expect((await open(link)).status).toBe(200)
  await moveClock(world, 2 * 86_400)
  const { status, body } = await open(link)
  expect([status, body.code]).toEqual([403, 'signed_url_expired'])
})
