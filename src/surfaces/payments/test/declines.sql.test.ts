/** The limit of declines holds also for cards that are tried at once, and delays nothing that succeeds. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { directClient } from '../../../kernel/database/direct.ts'
import { sql } from '#dodeca/kernel'
import { compile } from '../../../kernel/database/sql.ts'
import { countStatement } from '../operations/limit-declines.ts'
import { openPaymentWorld, type Merchant, type PaymentWorld } from './payment-world.ts'

const most = 10
const tried = 25

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_DECLINES_PER_HOUR: String(most) })
})
afterAll(() => world.close())

async function tryAtOnce(shop: Merchant, payment_method: string) {
  const intents = await Promise.all(Array.from({ length: tried }, () => shop.intent()))
  return await Promise.all(
    intents.map(({ id }) =>
      shop.ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method }),
    ),
  )
}

const Counts = Type.Object({ open: Type.Integer(), declined: Type.Integer() })

async function ended(shop: Merchant) {
  return await eventually('all have ended', async () => {
    const counts = await world.platform.kernel.db.one(
      Counts,
      sql`
        select count(*) filter (where state in ('created', 'pending_provider'))::int as open,
          count(*) filter (where declined)::int as declined
        from payments.payment_operations
        where tenant_id = ${shop.tenant.id} and type = 'authorize'`,
    )
    return counts.open === 0 && counts
  })
}

test('of many stolen cards at once, no more than the limit reach the bank', async () => {
  const shop = await world.merchant()
  const answers = await tryAtOnce(shop, 'pm_card_visa_chargeDeclined')
  const statuses = new Set(answers.map(one => one.status))
  for (const status of statuses) expect([202, 422, 429]).toContain(status)
  expect(answers.filter(one => one.status === 422).length).toBeLessThanOrEqual(most)
  expect(await ended(shop)).toEqual({ open: 0, declined: most })
  const refused = answers.find(one => one.status === 429)
  expect(refused?.body.code).toBe('rate_limited')
  expect(refused?.headers.get('retry-after')).toBe('3600')
})

test('of many good cards at once, all are authorized, and none is refused', async () => {
  const shop = await world.merchant()
  const answers = await tryAtOnce(shop, 'pm_card_visa')
  for (const { status, text } of answers) expect([200, 202], text).toContain(status)
  expect(await ended(shop)).toEqual({ open: 0, declined: 0 })
  const { body } = await shop.ask('GET', '/v1/payment-intents?state=authorized&limit=100')
  expect(body.data).toHaveLength(tried)
})

test('the counts read few rows, however much a caller has authorized', async () => {
  const shop = await world.merchant()
  const client = directClient(world.database_url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query(
    `with intents as (
      insert into payments.payment_intents (tenant_id, id, amount_minor, currency, provider)
      select $1::uuid, gen_random_uuid(), 500, 'EUR', 'stripe' from generate_series(1, 20000)
      returning tenant_id, id
    )
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, principal_id, state, provider, amount_minor)
    select tenant_id, gen_random_uuid(), id, 'authorize', $2::uuid, 'succeeded', 'stripe', 500
    from intents`,
    [shop.tenant.id, shop.id],
  )
  await client.query('analyze payments.payment_operations')
  await client.query('set plan_cache_mode = force_generic_plan')
  const caller = { tenant_id: shop.tenant.id, principal_id: shop.id }
  const { text, values } = compile(countStatement(caller, most))
  const { rows } = await client.query<{ 'QUERY PLAN': string }>({
    text: `explain ${text}`,
    values,
  })
  await client.end()
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('payment_operations_declines')
  expect(plan).toContain('payment_operations_open')
  expect(plan).not.toMatch(/Seq Scan|payment_operations_key/)
})
