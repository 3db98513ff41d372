/** Who finds a payer by the last digits of a card, an address or a name, and a payment by its ids. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPaymentWorld, type Merchant, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf, handleOf } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
beforeAll(async () => {
  world = await openPaymentWorld()
  cards = cardsOf(world)
})
afterAll(() => world.close())

const found = async (who: Pick<Merchant, 'ask'>, q: string) => {
  const { status, body, text } = await who.ask('GET', `/v1/matches?${new URLSearchParams({ q })}`)
  expect(status, text).toBe(200)
  return body.data as { kind: string; id: string; title: string; subtitle: string | null }[]
}

test('the last digits of a saved card find it, for its merchant', async () => {
  const [shop, other] = [await cards.shop(), await cards.shop()]
  const { method } = await cards.saved(shop, 'pm_card_mastercard')
  expect(await found(shop, '4444')).toMatchObject([
    { kind: 'payment-methods', id: method.id, title: 'mastercard', subtitle: '4444' },
  ])
  for (const q of ['444', '44444', '4442']) expect(await found(shop, q), q).toEqual([])
  expect(await found(other, '4444')).toEqual([])
  const { token } = await world.member(shop.tenant)
  expect(
    await found({ ask: (method, path) => world.call(method, path, { token }) }, '4444'),
  ).toEqual([])
})

test('a customer is found by address and by both names, until it is deleted', async () => {
  const [shop, other] = [await cards.shop(), await cards.shop()]
  const body = { email: 'Noor@example.org', name: 'Noor van den Berg ' }
  const { id } = await cards.customer(shop, body)
  const texts = ['noor@ex', 'NOOR VAN', 'berg', 'Bér', id]
  for (const q of texts) {
    expect(await found(shop, q), q).toMatchObject([
      { kind: 'customers', id, title: body.email, subtitle: body.name },
    ])
    expect(await found(other, q), q).toEqual([])
  }
  expect(await found(shop, 'den')).toEqual([])
  expect((await shop.ask('DELETE', `/v1/customers/${id}`)).status).toBe(204)
  for (const q of texts) expect(await found(shop, q), q).toEqual([])
})

test('a payment is found by what its merchant and the provider call it', async () => {
  const [shop, other] = [await cards.shop(), await cards.shop()]
  const { id } = await shop.intent({ order_ref: 'A-1000' })
  await cards.authorize(shop, id, { payment_method: 'pm_card_visa' })
  const handle = await handleOf(world, id)
  expect(handle).toMatch(/^pi_/)
  for (const q of ['A-1000', handle]) {
    expect(await found(shop, q), q).toMatchObject([{ kind: 'payment-intents', id }])
    expect(await found(other, q), q).toEqual([])
  }
})
