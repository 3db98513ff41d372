/** Processes that are killed while a card is saved, charged or deleted: one customer, one charge. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { killedAt } from '../../../../../test/crash.ts'
import { eventually, newKey } from '../../../../../test/world.ts'
import { openPaymentWorld, type Merchant, type PaymentWorld } from '../../test/payment-world.ts'
import { cardsOf } from './card-world.ts'

let world: PaymentWorld
let cards: ReturnType<typeof cardsOf>
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '2000' })
  cards = cardsOf(world)
})
afterAll(() => world.close())

const points = [
  'kernel.after_operation',
  'payments.before_call',
  'payments.before_customer',
  'payments.after_customer',
  'payments.after_handle',
  'payments.after_assign',
  'payments.after_call',
  'payments.in_apply',
  'kernel.after_commit',
]

async function endLeases({ tenant }: Merchant): Promise<void> {
  const { db } = world.platform.kernel
  await db.run(sql`
    update payments.provider_customers set calling_until = null where tenant_id = ${tenant.id}`)
  await db.run(sql`
    update payments.payment_operations set due_at = kernel.now(), leased_until = null
    where tenant_id = ${tenant.id} and state in ('created', 'pending_provider')`)
  world.platform.kernel.wake(['payments.resolver'])
}

test.each(points)(
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
    await eventually('the payment is made', async () => {
      await endLeases(shop)
      return (await shop.read(id)).state === 'authorized'
    })
    expect(await cards.effects(id)).toEqual(['authorize'])
    expect(await cards.atProvider(customer_id)).toHaveLength(1)
    expect(await cards.methods(shop)).toHaveLength(1)
  },
  120_000,
)
