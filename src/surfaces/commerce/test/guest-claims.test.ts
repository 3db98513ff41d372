/** Orders of guests go to the person who proves their address, with all that follows from it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailTraces, prove } from '../../../../test/inbox.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newAddress, openGuestShop, type Guests } from './guests.ts'
import { visa, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let guests: Guests
beforeAll(async () => {
  ;({ world, shop, guests } = await openGuestShop())
})
afterAll(() => world.close())

describe('the orders of a guest', () => {
  const claim = (buyer: Buyer) => buyer.ask('POST', '/v1/orders/claims')

  test('go to the person who has proven their address, and to no other account', async () => {
    const { guest, order, sku } = await guests.bought()
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
    expect(await mailTraces(world, email, mine.id)).toEqual([])
  })

  test('stay with a guest who became a person, and while they wait for their payment', async () => {
    const { guest, sku } = await guests.bought()
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
