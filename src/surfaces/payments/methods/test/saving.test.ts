/** Cards that are kept for later, by whom, and how many. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../../test/world.ts'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
beforeAll(async () => {
  world = await openPaymentWorld()
  cards = cardsOf(world)
})
afterAll(() => world.close())

describe('a card', () => {
  test('that a payment saves is shown, announced, and charged while its payer is absent', async () => {
    const shop = await cards.shop()
    const { customer, method } = await cards.saved(shop, 'pm_card_mastercard')
    expect(method).toMatchObject({
      customer_id: customer.id,
      account_id: null,
      provider: 'stripe',
      payment_account_id: null,
      method: 'card',
      brand: 'mastercard',
      last4: '4444',
      exp: '2034-12',
      state: 'active',
    })
    expect(JSON.stringify(method)).not.toMatch(/pm_|cus_/)
    expect(await world.events(method.id)).toEqual(['payment_method.saved'])
    const later = await shop.intent()
    const absent = { payment_method: method.id, off_session: true }
    const held = await cards.authorize(shop, later.id, absent)
    expect([held.status, held.body.state]).toEqual([200, 'authorized'])
    expect((await shop.read(later.id)).customer_id).toBe(customer.id)
    expect(await cards.effects(later.id)).toEqual(['authorize'])
    expect(await cards.atProvider(customer.id)).toMatchObject([
      {
        email: null,
        name: null,
        metadata: { customer_id: customer.id, tenant_id: shop.tenant.id },
      },
    ])
  })

  test('is saved when the bank has let its payer pass', async () => {
    const shop = await cards.shop()
    const { method } = await cards.saved(shop, 'pm_card_authenticationRequiredOnSetup')
    expect(method.state).toBe('active')
    const later = await shop.intent()
    const absent = { payment_method: method.id, off_session: true }
    expect((await cards.authorize(shop, later.id, absent)).body.state).toBe('authorized')
  })

  test('that was declined is not saved, and the next one only if asked', async () => {
    const shop = await cards.shop()
    const { id: customer_id } = await cards.customer(shop)
    const { id } = await shop.intent({ customer_id })
    const bad = { payment_method: 'pm_card_visa_chargeDeclined', save: true }
    expect((await cards.authorize(shop, id, bad)).body.code).toBe('payment_declined')
    const once = await cards.authorize(shop, id, { payment_method: 'pm_card_visa' })
    expect(once.body.state).toBe('authorized')
    expect(await cards.methods(shop)).toEqual([])
    const [theirs] = await cards.atProvider(customer_id)
    const kept = await cards.provider(`payment_methods?customer=${theirs.id}`)
    expect(kept.data).toEqual([])
  })
})

describe('a customer', () => {
  test('is written by the merchant, but never moved to an account', async () => {
    const shop = await cards.shop()
    const made = await cards.customer(shop, { name: 'Ann', email: 'ann@example.com' })
    expect(made.account_id).toBeNull()
    const path = `/v1/customers/${made.id}`
    const own = { account_id: shop.id }
    const asked = await Promise.all([
      shop.ask('POST', '/v1/customers', own),
      shop.ask('PATCH', path, own),
    ])
    expect(asked.map(one => [one.status, one.body.code])).toEqual([
      [422, 'unsupported_field'],
      [422, 'unsupported_field'],
    ])
    expect((await shop.ask('PATCH', path, { name: 'Ann B' })).body.name).toBe('Ann B')
    expect((await shop.ask('GET', path)).body).toMatchObject({ account_id: null, name: 'Ann B' })
  })

  test('of an account is made by the account itself, once', async () => {
    const shop = await cards.shop()
    const save = async () => {
      const { id } = await shop.intent()
      return await cards.authorize(shop, id, { payment_method: 'pm_card_visa', save: true })
    }
    const answers = await Promise.all([save(), save(), save()])
    expect(answers.map(one => one.status < 300)).toEqual([true, true, true])
    await cards.until('all are saved', async () => (await cards.methods(shop)).length === 3)
    const methods = await cards.methods(shop)
    expect(new Set(methods.map(one => one.customer_id)).size).toBe(1)
    expect(new Set(methods.map(one => one.account_id))).toEqual(new Set([shop.id]))
    const { body } = await shop.ask('GET', `/v1/customers?account_id=${shop.id}`)
    expect(body.data).toHaveLength(1)
    expect(await cards.atProvider(body.data[0].id)).toHaveLength(1)
  })

  test('has at most twenty cards, also when twenty-four come at once', async () => {
    const shop = await cards.shop()
    const { id: customer_id } = await cards.customer(shop)
    const intents = await Promise.all(
      Array.from({ length: 24 }, () => shop.intent({ customer_id })),
    )
    const answers = await Promise.all(
      intents.map(({ id }) =>
        cards.authorize(shop, id, { payment_method: 'pm_card_visa', save: true }),
      ),
    )
    const refused = answers.filter(one => one.body.code === 'quota_exceeded')
    expect(refused).toHaveLength(4)
    const begun = intents.filter((_, at) => (answers[at]?.status ?? 500) < 300)
    for (const { id } of begun) await shop.reaches(id, 'authorized')
    expect(await cards.methods(shop, `&customer_id=${customer_id}`)).toHaveLength(20)
    expect(await cards.atProvider(customer_id)).toHaveLength(1)
    for (const { id } of begun) expect(await cards.effects(id)).toEqual(['authorize'])
  })

  test('that is deleted loses its cards, here and at the provider', async () => {
    const shop = await cards.shop()
    const { customer, method } = await cards.saved(shop)
    const [theirs] = await cards.atProvider(customer.id)
    await world.fault({ action: 'http', status: 500, match: { path: `/customers/${theirs.id}` } })
    const gone = await world.call('DELETE', `/v1/customers/${customer.id}`, { token: shop.token })
    expect(gone.status).toBe(204)
    const path = `/v1/payment-methods/${method.id}`
    expect((await shop.ask('GET', path)).body.state).toBe('detached')
    const { id } = await shop.intent()
    const absent = { payment_method: method.id, off_session: true }
    expect((await cards.authorize(shop, id, absent)).body.code).toBe('payment_method_invalid')
    await cards.until('the provider has deleted it', async () => {
      const { deleted } = await cards.provider(`customers/${theirs.id}`)
      return deleted === true
    })
  })
})

test('what excludes each other is refused', async () => {
  const shop = await cards.shop()
  const { method } = await cards.saved(shop)
  const { id } = await shop.intent()
  const wrong = [
    { payment_method: method.id, save: true },
    { payment_method: 'pm_card_visa', off_session: true },
    { payment_method: 'pm_card_visa', save: true, off_session: true },
  ]
  for (const body of wrong) {
    const answer = await cards.authorize(shop, id, body, newKey())
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  }
})
