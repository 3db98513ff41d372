/** The page of an order: its link opens it and nothing else, and a mailed code shows and erases the address. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailTraces } from '../../../../test/inbox.ts'
import { newId } from '#dodeca/kernel'
import { moveClock } from '../../identity/test/second-factor.ts'
import { openGuestShop, type Guests } from './guests.ts'
import { address, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let guests: Guests
beforeAll(async () => {
  ;({ world, shop, guests } = await openGuestShop())
})
afterAll(() => world.close())

describe('the page of an order', () => {
  test('shows no address, changes nothing, and is not kept', async () => {
    const { email, order, guest } = await guests.bought()
    const link = await guests.linkIn(email)
    const before = await guest.read(order.id)
    const { status, text, headers } = await guests.open(link)
    expect(status, text).toBe(200)
    expect(text).toContain('1 × A thing')
    for (const hidden of [email, address.name, address.line1, address.postal_code]) {
      expect(text).not.toContain(hidden)
    }
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect((await guests.open(`${link}&utm_source=mail`)).status).toBe(200)
    expect(await guest.read(order.id)).toEqual(before)
  })

  test('opens with its own link only, and not for ever', async () => {
    const [one, other] = [await guests.bought(), await guests.bought()]
    const link = await guests.linkIn(one.email)
    const moved = link.replace(one.order.id, other.order.id)
    const later = link.replace(/exp=\d+/, 'exp=9999999999')
    const elsewhere = link.replace(/shop=[^&]+/, `shop=${newId()}`)
    const [bare = ''] = link.split('?')
    for (const wrong of [moved, later, elsewhere, bare, link.replace('sig=', 'sig=A')]) {
      const { status, body } = await guests.open(wrong)
      expect([status, body.code], wrong).toEqual([403, 'signed_url_invalid'])
      const sent = await guests.send(wrong, 'codes')
      expect([sent.status, sent.body?.code], wrong).toEqual([403, 'signed_url_invalid'])
    }
  })

  test('asks for a return once, however often its form is sent', async () => {
    const { email, order, guest } = await guests.bought({}, 3)
    await guest.pays(order.id, 'captured')
    expect((await shop.ship(order)).status).toBe(201)
    const link = await guests.linkIn(email, 2)
    const { text } = await guests.open(link)
    const request = /name="request" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const line = order.lines[0].id
    const fields = { request, [`line.${line}`]: '2', reason: 'broken', note: '<b>torn</b>' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => guests.send(link, 'returns', fields)),
    )
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([303]))
    const { returns } = await guest.read(order.id)
    expect(returns).toMatchObject([{ state: 'requested', lines: [{ quantity: 2 }] }])
    const shown = await guests.open(answers[0]?.headers.get('location') ?? '')
    expect(shown.text).toContain('2 × A thing: requested')
    expect(shown.text).not.toContain('torn')

    const more = { ...fields, request: newId() }
    const refused = await guests.send(link, 'returns', more)
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([409, true])
    const changed = await guests.send(link, 'returns', { ...fields, reason: 'other' })
    expect(changed.status).toBe(409)
    for (const wrong of [{ [`line.${line}`]: '-1' }, { reason: 'A B' }, { request: 'x' }]) {
      expect((await guests.send(link, 'returns', { ...more, ...wrong })).status).toBe(422)
    }
    expect((await guest.read(order.id)).returns).toHaveLength(1)
  })

  test('shows the address and erases it with a mailed code', async () => {
    const { email, order, guest } = await guests.bought()
    const link = await guests.linkIn(email)
    const code = await guests.codeFor(link, email)
    const shown = await guests.send(link, 'address', { code })
    expect(shown.status, shown.text).toBe(200)
    for (const says of [email, address.name, address.postal_code])
      expect(shown.text).toContain(says)
    const other = await guests.bought()
    const elsewhere = await guests.send(await guests.linkIn(other.email), 'address', { code })
    expect([elsewhere.status, elsewhere.text.includes(other.email)]).toEqual([403, false])

    // The goods are not sent yet.
    expect((await guests.send(link, 'erasure', { code })).status).toBe(409)
    await guest.pays(order.id, 'captured')
    expect((await shop.ship(order)).status).toBe(201)
    expect((await guests.send(link, 'erasure', { code: '00000000' })).status).toBe(403)
    const erased = await guests.send(link, 'erasure', { code })
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
    expect(await mailTraces(world, email, order.id)).toEqual([])
    expect((await guests.send(link, 'address', { code })).text).not.toContain(address.line1)
    await shop.sound()
  })

  test('takes five wrong codes in an hour', async () => {
    const { email } = await guests.bought()
    const link = await guests.linkIn(email)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => guests.send(link, 'address', { code: `0000000${n}` })),
    )
    const many = (status: number) => answers.filter(one => one.status === status).length
    expect([many(403), many(429)]).toEqual([5, 15])
    const code = await guests.codeFor(link, email)
    expect((await guests.send(link, 'address', { code })).status).toBe(429)
    for (let n = 0; n < 2; n++) expect((await guests.send(link, 'codes')).status).toBe(200)
    expect((await guests.send(link, 'codes')).status).toBe(429)
  })
})

test('the link to the page of an order ends after 180 days', async () => {
  const { email } = await guests.bought()
  const link = await guests.linkIn(email)
  await moveClock(world, 179 * 86_400)
  expect((await guests.open(link)).status).toBe(200)
  await moveClock(world, 2 * 86_400)
  const { status, body } = await guests.open(link)
  expect([status, body.code]).toEqual([403, 'signed_url_expired'])
})
