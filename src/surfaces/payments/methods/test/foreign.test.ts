/** Cards of others: nobody charges them, and the provider is not even asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginNarrow } from './narrow-card.ts'
import { ownerIn } from '../../accounts/test/account-world.ts'
import { payerOf } from '../../pages/test/payer.ts'
import { openPaymentWorld, type Merchant, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
beforeAll(async () => {
  world = await openPaymentWorld()
  cards = cardsOf(world)
})
afterAll(() => world.close())

/** Nothing is begun, and no call goes out. */
async function expectRefused(who: Merchant, intent: { id: string }, body: object): Promise<void> {
  const asked = async () => {
    const answer = await cards.authorize(who, intent.id, body)
    expect([answer.status, answer.body.code]).toEqual([422, 'payment_method_invalid'])
  }
  expect(await cards.calls(asked)).toBe(0)
  expect((await who.read(intent.id)).operations.map((one: { type: string }) => one.type)).toEqual([
    'create',
  ])
}

/** A colleague in the same tenant, who saves a card of their own. */
async function colleagueOf(shop: Merchant): Promise<Merchant> {
  const member = await world.member(shop.tenant)
  await world.allow(member, 'payments.intents.create', 'payments.intents.authorize')
  const ask: Merchant['ask'] = (method, path, body, key = crypto.randomUUID()) =>
    world.call(method, path, {
      token: member.token,
      ...(method === 'POST' ? { key } : {}),
      ...(body === undefined ? {} : { body }),
    })
  const intent: Merchant['intent'] = async (more = {}) =>
    (await ask('POST', '/v1/payment-intents', { amount_minor: 900, currency: 'EUR', ...more })).body
  return { ...shop, ...member, ask, intent }
}

describe('a saved card is refused', () => {
  test('to another tenant, by our id and by that of the provider', async () => {
    const [shop, other] = [await cards.shop(), await cards.shop()]
    const { method, customer, intent } = await cards.saved(shop)
    for (const off_session of [true, false]) {
      await expectRefused(other, await other.intent(), { payment_method: method.id, off_session })
    }
    const foreign = await other.ask('POST', '/v1/payment-intents', {
      amount_minor: 100,
      currency: 'EUR',
      customer_id: customer.id,
    })
    expect(foreign.body.code).toBe('customer_unusable')
    // Its own customer, with the id that the provider has kept.
    const handle = await cards.handle(intent.id)
    const { payment_method } = await cards.provider(`payment_intents/${handle}`)
    const { customer: theirs } = await cards.saved(other)
    const with_customer = await other.intent({ customer_id: theirs.id })
    await expectRefused(other, with_customer, { payment_method })
    // Without any customer the provider refuses it.
    const { id } = await other.intent()
    const raw = await cards.authorize(other, id, { payment_method })
    expect(raw.status).toBe(422)
    expect(await cards.effects(id)).toEqual([])
  })

  test('to another account of the tenant, unless it may charge absent payers', async () => {
    const shop = await cards.shop()
    const other = await colleagueOf(shop)
    const { id } = await other.intent()
    const own = await cards.authorize(other, id, { payment_method: 'pm_card_visa', save: true })
    expect(own.status, own.text).toBe(200)
    const { body } = await other.ask('GET', '/v1/payment-methods')
    expect(body.data).toMatchObject([{ account_id: other.id }])
    const payment_method = body.data[0].id
    // The merchant is not the person who sits in front of a page.
    await expectRefused(shop, await shop.intent(), { payment_method })
    const absent = await cards.authorize(shop, (await shop.intent()).id, {
      payment_method,
      off_session: true,
    })
    expect(absent.body.state).toBe('authorized')
    const again = await cards.authorize(other, (await other.intent()).id, { payment_method })
    expect(again.body.state).toBe('authorized')
    // Nor may the merchant put a card among theirs.
    const theirs = await shop.intent({ customer_id: body.data[0].customer_id })
    const put = await cards.authorize(shop, theirs.id, {
      payment_method: 'pm_card_visa',
      save: true,
    })
    expect([put.status, put.body.code]).toEqual([422, 'customer_unusable'])
  })

  test('to who may not charge it, with the permission that is missing', async () => {
    const shop = await cards.shop()
    const { method } = await cards.saved(shop)
    const other = await colleagueOf(shop)
    const { id } = await other.intent()
    const absent = { payment_method: method.id, off_session: true }
    const refused = await cards.authorize(other, id, absent)
    expect([refused.status, refused.body.permission]).toEqual([403, 'payments.methods.charge'])
    const present = await cards.authorize(other, id, { payment_method: method.id })
    expect([present.status, present.body.code]).toEqual([422, 'payment_method_invalid'])
  })

  test('at another account with the provider, and for another customer', async () => {
    const owner = await ownerIn(world)
    await cards.shop(owner)
    const at_platform = await owner.intent({ account: 'platform' })
    const body = { payment_method: 'pm_card_visa', save: true }
    expect((await cards.authorize(owner, at_platform.id, body)).status).toBe(200)
    const [method] = await cards.methods(owner)
    expect(method.payment_account_id).toBeNull()
    await expectRefused(owner, await owner.intent(), { payment_method: method.id })
    const other = await cards.customer(owner)
    const intent = await owner.intent({ account: 'platform', customer_id: other.id })
    await expectRefused(owner, intent, { payment_method: method.id })
  })

  test('once it was detached', async () => {
    const shop = await cards.shop()
    const { method } = await cards.saved(shop)
    const path = `/v1/payment-methods/${method.id}`
    for (const status of [204, 204]) {
      expect((await world.call('DELETE', path, { token: shop.token })).status).toBe(status)
    }
    await cards.until('the provider knows', async () => {
      const rows = await cards.methods(shop, '&state=detached')
      return rows.length === 1
    })
    await expectRefused(shop, await shop.intent(), { payment_method: method.id, off_session: true })
    expect(await world.events(method.id)).toEqual([
      'payment_method.saved',
      'payment_method.detached',
    ])
  })

  test('on a page, and to a session that is only for a shop', async () => {
    const shop = await cards.shop()
    const { method, customer } = await cards.saved(shop)
    const payer = payerOf(world)
    const { url } = await payer.asks({ customer_id: customer.id }, shop)
    const page = async () => {
      const answer = await payer.send(url, {
        provider: 'stripe',
        payment_method: method.id,
        attempt_id: crypto.randomUUID(),
      })
      expect([answer.status, answer.body.code]).toEqual([422, 'payment_method_invalid'])
    }
    expect(await cards.calls(page)).toBe(0)
    const { id } = await shop.intent()
    const token = await beginNarrow(world, shop, 'payments.intents.authorize')
    const narrow = await world.call('POST', `/v1/payment-intents/${id}/authorize`, {
      token,
      key: crypto.randomUUID(),
      body: { payment_method: method.id },
    })
    expect([narrow.status, narrow.body.code]).toEqual([403, 'insufficient_scope'])
  })
})

test('others see no card, and who reads customers sees all', async () => {
  const shop = await cards.shop()
  const { method } = await cards.saved(shop)
  const other = await colleagueOf(shop)
  const path = `/v1/payment-methods/${method.id}`
  expect((await other.ask('GET', '/v1/payment-methods')).body.data).toEqual([])
  expect((await other.ask('GET', path)).status).toBe(404)
  expect((await world.call('DELETE', path, { token: other.token })).status).toBe(404)
  expect((await shop.ask('GET', path)).body.id).toBe(method.id)
})
