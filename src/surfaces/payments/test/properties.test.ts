/**
 * Random payments with a provider that loses answers: whatever was asked in whatever order, the invariants
 * hold. P1 balanced transactions, P2 trial balance, P3 clearing = the provider's balance, P4 the chain of
 * amounts, P5 one effect an operation, P6 moves of the state table, P7 one event a move, P8 sums of shards.
 */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type Merchant, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
let shop: Merchant
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '500' })
  shop = await world.merchant()
})
afterAll(() => world.close())

const cards = [
  'pm_card_visa',
  'pm_card_visa_chargeDeclined',
  'pm_card_authenticationRequired',
  'pm_card_bypassPending',
  'pm_card_pendingRefund',
]
const losses = ['delay_after', 'reset_after', 'http', 'garbage_json', 'truncate', 'late_effect']

type Step =
  | { readonly do: 'authorize'; readonly card: string }
  | { readonly do: 'capture'; readonly share: number }
  | { readonly do: 'cancel' }
  | { readonly do: 'refund'; readonly share: number }
  | { readonly do: 'lose'; readonly action: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('authorize' as const), card: fc.constantFrom(...cards) }),
  fc.record({
    do: fc.constant('capture' as const),
    share: fc.double({ min: 0.1, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('cancel' as const) }),
  fc.record({
    do: fc.constant('refund' as const),
    share: fc.double({ min: 0.1, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('lose' as const), action: fc.constantFrom(...losses) }),
)

async function take(id: string, amount: number, one: Step): Promise<void> {
  const path = `/v1/payment-intents/${id}`
  const part = 'share' in one ? Math.max(1, Math.floor(amount * one.share)) : amount
  switch (one.do) {
    case 'authorize':
      return void (await shop.ask('POST', `${path}/authorize`, { payment_method: one.card }))
    case 'capture':
      return void (await shop.ask('POST', `${path}/capture`, { amount_minor: part }))
    case 'cancel':
      return void (await shop.ask('POST', `${path}/cancel`, {}))
    case 'refund':
      return void (await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: part }))
    default:
      return await world.fault({
        action: one.action,
        status: 500,
        after_effect: true,
        ms: 700,
        match: { method: 'POST', path: '/v1/' },
      })
  }
}

test('any sequence of requests, some at once, leaves books that agree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 100, max: 50_000 }), fc.array(step, { maxLength: 7 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async payments => {
        const ids: string[] = []
        await Promise.all(
          payments.map(async ([amount_minor, steps]) => {
            const { id } = await shop.intent({ amount_minor })
            ids.push(id)
            for (const one of steps) await take(id, amount_minor, one)
          }),
        )
        await world.control('faults', {}, 'DELETE')
        await settled()
        await expectTrue(ids)
      },
    ),
    { numRuns: 12 },
  )
  await expectSameBalance()
})

const Count = Type.Object({ n: Type.Integer() })

async function settled(): Promise<void> {
  await eventually('every doubt has ended', async () => {
    const { n } = await world.platform.kernel.db.one(
      Count,
      sql`
        -- any tenant: all of this test
        select count(*)::int as n from payments.payment_operations
        where state in ('created', 'pending_provider')`,
    )
    return n === 0
  })
}

const Announced = Type.Object({ type: Type.String(), version: Type.Integer() })

async function expectTrue(ids: readonly string[]): Promise<void> {
  await world.sound()
  for (const id of ids) {
    const intent = await shop.read(id)
    const announced = await world.platform.kernel.db.many(
      Announced,
      sql`
        select type, version from (
          select type, aggregate_version as version from kernel.events
          where aggregate_id = ${id}
          union
          select type, aggregate_version from kernel.outbox_events
          where aggregate_id = ${id}) announced
        order by version`,
    )
    // Each version was announced, once.
    expect(announced.map(one => one.version)).toEqual(announced.map((_one, at) => at + 1))
    expect(announced).toHaveLength(intent.version)
    const types = announced.map(one => one.type)
    const count = (type: string) => types.filter(one => one === type).length
    expect(count('payment.captured')).toBeLessThanOrEqual(count('payment.authorized'))
    expect(count('payment.captured') + count('payment.released')).toBeLessThanOrEqual(1)
    expect(intent.amount_refunded_minor).toBeLessThanOrEqual(intent.amount_captured_minor)
  }
  const { data } = await world.control('effects', {}, 'GET')
  const named = (data as { kind: string; idempotency_key: string | null }[])
    .filter(one => one.idempotency_key !== null)
    .map(one => `${one.kind} ${one.idempotency_key}`)
  expect(new Set(named).size).toBe(named.length)
}

async function expectSameBalance(): Promise<void> {
  const asked = await shop.ask('POST', '/v1/reconciliation-runs', {
    from: '2020-01-01T00:00:00.000Z',
    to: '2100-01-01T00:00:00.000Z',
  })
  const { proof } = await eventually('the books are compared', async () => {
    const { body } = await shop.ask('GET', asked.headers.get('location') ?? '')
    return body.status === 'succeeded' && body
  })
  expect(proof.EUR?.clearing_minor).toBe(proof.EUR?.provider_minor)
}
