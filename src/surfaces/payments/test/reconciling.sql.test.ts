/** What reconciliation finds while payments move, people decide, and processes stop. */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import {
  items,
  openPaymentWorld,
  reconcile,
  type Merchant,
  type PaymentWorld,
} from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld()
})
afterAll(() => world.close())

const handleOf = async (shop: Merchant, id: string) =>
  await world.platform.kernel.db.one(
    Type.Object({ handle: Type.String() }),
    sql`
        select provider_handle as handle from payments.payment_intents
        where tenant_id = ${shop.tenant.id} and id = ${id}`,
  )

test('reports no payment that moved after the provider had listed it', async () => {
  const shop = await world.merchant()
  const { id } = await shop.authorized(3000)
  const { handle } = await handleOf(shop, id)
  await world.fault({
    action: 'delay_after',
    ms: 2000,
    match: { method: 'GET', path: '/payment_intents' },
  })
  const run = reconcile(shop)
  const { db } = world.platform.kernel
  const begun = sql`select 1 from payments.reconciliation_runs where lease_token is not null`
  await eventually('the list is asked for', async () => (await db.run(begun)) > 0)
  await pause(300)
  expect((await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})).status).toBe(200)
  await run
  const wrong = await items(shop, 'state_mismatch')
  expect(wrong.filter(one => one.external_ref === handle)).toEqual([])
})

test('opens one item for what was made without us, although the provider lists it twice', async () => {
  const shop = await world.merchant()
  await reconcile(shop)
  const all = async () =>
    (await shop.ask('GET', '/v1/reconciliation-items?limit=100')).body.data as { id: string }[]
  const before = new Set((await all()).map(one => one.id))
  const payment = await world.control('foreign_payments', { amount: 781, currency: 'chf' })
  const { id } = await shop.captured(2000)
  const { handle } = await handleOf(shop, id)
  const refund = await world.atProvider('refunds', { payment_intent: handle, amount: '500' })
  await reconcile(shop)
  await reconcile(shop)
  const opened = (await all()).filter(one => !before.has(one.id))
  expect(opened).toMatchObject([
    { discrepancy: 'missing_local', external_ref: refund.id, local_ref: id },
    { discrepancy: 'missing_local', external_ref: payment.id, local_ref: null },
  ])
})

test('does not ask again about what an operator has ignored', async () => {
  const shop = await world.merchant()
  const strange = await world.control('foreign_payments', { amount: 778, currency: 'chf' })
  const about = async () =>
    (await items(shop, 'missing_local')).filter(one => one.external_ref === strange.id)
  await reconcile(shop)
  const [item] = await about()
  const path = `/v1/reconciliation-items/${item?.id}/resolve`
  const note = 'A sale at the counter.'
  expect((await shop.ask('POST', path, { resolution: 'ignored', note })).status).toBe(200)
  await reconcile(shop)
  expect((await about()).map(one => one.state)).toEqual(['ignored'])
})

test('compares the moments of its time range, not their texts', async () => {
  const shop = await world.merchant()
  const ask = async (from: string, to: string) =>
    (await shop.ask('POST', '/v1/reconciliation-runs', { from, to })).status
  expect(await ask('2026-01-01T01:00:00+02:00', '2026-01-01T00:30:00Z')).toBe(202)
  expect(await ask('2026-01-01T00:00:00-05:00', '2026-01-01T02:00:00Z')).toBe(422)
})

test('books nothing while its process stops', async () => {
  await world.control('foreign_payments', { amount: 779, currency: 'chf' })
  const { queues = [] } = world.platform.opened['payments'] ?? {}
  const queue = queues.find(one => one.name === 'payments.reconciliations')
  const row = {
    id: newId(),
    provider: 'stripe',
    phase: 'balance_transactions',
    page_after: null,
    from_s: 0,
    to_s: null,
    started_s: Date.now() / 1000,
    attempt_no: 1,
  }
  await expect(queue?.run(row, AbortSignal.abort())).rejects.toThrow(/abort/i)
})

test('a run that was interrupted misses no payment that is younger than its list', async () => {
  const shop = await world.merchant()
  const { db } = world.platform.kernel
  const age = async (minutes: number) => {
    const { id } = await shop.authorized(4000)
    await db.run(sql`
      update payments.payment_intents
      set provider_handle_at = now() - make_interval(mins => ${minutes})
      where tenant_id = ${shop.tenant.id} and id = ${id}`)
    return id as string
  }
  const [younger, older] = [await age(90), await age(240)]
  // The provider's list was read two hours ago. Then the provider was away.
  const run = newId()
  await db.run(sql`
    insert into payments.reconciliation_runs (
      id, provider, state, phase, from_at, to_at, requested_by, created_at)
    values (
      ${run}, 'stripe', 'running', 'local', now() - interval '3 days', now() + interval '1 day',
      'test', now() - interval '2 hours')`)
  const ended = sql`
    select from payments.reconciliation_runs where id = ${run} and state = 'succeeded'`
  await eventually('the run has ended', async () => (await db.run(ended)) === 1)
  const missing = (await items(shop, 'missing_external')).map(one => one.local_ref)
  expect(missing).toContain(older)
  expect(missing).not.toContain(younger)
})
