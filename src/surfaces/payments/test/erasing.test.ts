/** What a person wrote about a payment is in no event, and leaves with the person. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld } from './payment-world.ts'

const world = await openPaymentWorld()
afterAll(() => world.close())
const { kernel, opened } = world.platform
const { personal } = opened['payments'] ?? {}

const words = 'The customer Ada called'

async function stored(intent_id: string): Promise<string> {
  const { found } = await kernel.db.one(
    Type.Object({ found: Type.String() }),
    sql`
      -- any tenant: the payment's own id
      select jsonb_build_object('intent', i, 'operations',
        (select jsonb_agg(o) from payments.payment_operations o where o.intent_id = i.id),
        'outbox', (select jsonb_agg(e.payload) from kernel.outbox_events e
          where e.aggregate_id = i.id),
        'events', (select jsonb_agg(e.payload) from kernel.events e
          where e.aggregate_id = i.id))::text as found
      from payments.payment_intents i where i.id = ${intent_id}`,
  )
  return found
}

test('a reason in words is shown, is in no event, and is erased with the key', async () => {
  const merchant = await world.merchant()
  const { token, id } = merchant
  const body = { amount_minor: 500, currency: 'EUR' }
  const made = await world.call('POST', '/v1/payment-intents', { token, key: newKey(), body })
  const key = newKey()
  const path = `/v1/payment-intents/${made.body.id}/cancel`
  const done = await world.call('POST', path, { token, key, body: { reason: words } })
  expect([done.status, done.body.cancellation_reason]).toEqual([200, words])
  const { events, outbox } = JSON.parse(await stored(made.body.id))
  expect(JSON.stringify([events, outbox])).not.toContain(words)
  expect(JSON.stringify([events, outbox])).toContain('"reason_code":"requested"')

  const person = { id, principal_ids: [id], tenant_id: merchant.tenant.id }
  const erased = { ...person, email_normalized: null, made_before: new Date(Date.now() + 60_000) }
  await personal?.erase(erased as never, new AbortController().signal)
  const left = await stored(made.body.id)
  expect(left).not.toContain(words)
  expect(left).not.toContain(key)
})

test('a card number in a key is refused', async () => {
  const { token } = await world.merchant()
  const body = { amount_minor: 500, currency: 'EUR' }
  const key = '4242424242424242'
  const answer = await world.call('POST', '/v1/payment-intents', { token, key, body })
  expect([answer.status, answer.body.code]).toEqual([422, 'card_data_refused'])
})

test('an account is needed while its money is held, and no longer', async () => {
  const merchant = await world.merchant()
  const { token, id, tenant } = merchant
  const person = { account_id: id, principal_ids: [id], tenant_id: tenant.id }
  const needed = () => personal?.needs?.(kernel.db, person)
  expect(await needed()).toBe(false)
  const body = { amount_minor: 500, currency: 'EUR' }
  const made = await world.call('POST', '/v1/payment-intents', { token, key: newKey(), body })
  expect(await needed()).toBe(false)
  const path = `/v1/payment-intents/${made.body.id}`
  const paid = await world.call('POST', `${path}/authorize`, {
    token,
    key: newKey(),
    body: { payment_method: 'pm_card_visa' },
  })
  expect([paid.status, paid.body.state]).toEqual([200, 'authorized'])
  expect(await needed()).toBe(true)
  const ended = await world.call('POST', `${path}/cancel`, {
    token,
    key: newKey(),
    body: { reason: 'abandoned' },
  })
  expect([ended.status, ended.body.state]).toEqual([200, 'cancelled'])
  expect(await needed()).toBe(false)
})
