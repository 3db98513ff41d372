/** Processes that are killed while a card is saved, charged or deleted: one customer, one charge. */
import { afterAll, beforeAll, test } from 'vitest'
import { killedAt } from '../../../../../test/crash.ts'
import { newKey } from '../../../../../test/world.ts'
import { inTurns } from '../../../../../test/in-turns.ts'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf, saving_points } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '2000' })
  cards = cardsOf(world)
})
afterAll(() => world.close())

test.each(inTurns(3, saving_points))(
  'killed at %s while a card is saved',
  async point => {
    const shop = await cards.shop()
    const { id: customer_id } = await cards.customer(shop)
    const { id } = await shop.intent({ customer_id })
    const path = `/v1/payment-intents/${id}/authorize`
    const body = { payment_method: 'pm_card_visa', save: true }
    const key = newKey()
    await killedAt(
      world,
      point,
      async url => {
        await fetch(url + path, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${shop.token}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify(body),
        })
      },
      1,
      'product',
    )
    await cards.expectOne(shop, id, customer_id)
  },
  120_000,
)
