/** While the provider is away, operations in doubt rest, and are due at once when it works again. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_BREAKER_OPEN_MS: '600000' })
})
afterAll(() => world.close())

const Counts = Type.Object({ open: Type.Integer(), resting: Type.Integer() })

test('operations that an open breaker refuses are not looked at again and again', async () => {
  const shop = await world.merchant()
  const intents = await Promise.all(Array.from({ length: 30 }, () => shop.intent()))
  await world.fault({ action: 'http', status: 503, times: 1_000_000, match: { path: '/v1/' } })
  const answers = await Promise.all(
    intents.map(({ id }) =>
      shop.ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method: 'pm_card_visa' }),
    ),
  )
  const begun = answers.filter(one => one.status === 202).length
  expect(begun).toBeGreaterThan(0)
  const counts = await eventually('all of them rest', async () => {
    const found = await world.platform.kernel.db.one(
      Counts,
      sql`
        select count(*)::int as open,
          count(*) filter (where last_error_code = 'breaker_open'
            and due_at > kernel.now() + interval '1 minute')::int as resting
        from payments.payment_operations
        where tenant_id = ${shop.tenant.id} and state in ('created', 'pending_provider')`,
    )
    return found.open === found.resting && found
  })
  expect(counts.open).toBe(begun)
})
