/**
 * Several events in one statement: each reaches its own subscriptions, and none overtakes an
 * unfinished one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { openProductWorld, type ProductWorld } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql, type LoggedEvent } from '#dodeca/kernel'
import { expand, type Portion } from '../expand.ts'

let world: ProductWorld
beforeAll(async () => {
  world = await openProductWorld()
})
afterAll(() => world.close())

const limit = 3
const portion: Portion = { after: null, limit, queues: true }

/** Ids of new subscriptions in their order. */
async function subscriptions(tenant_id: string, many: number, types: string): Promise<string[]> {
  const ids = Array.from({ length: many }, newId)
  await world.platform.kernel.db.run(sql`
    insert into webhooks.subscriptions (tenant_id, id, endpoint, event_filter, readable, owner_id, state,
      paused_at, api_version, max_in_flight, secret_version, secret_ciphertext, verification_mode)
    select ${tenant_id}, id, 'http://127.0.0.1:1/', ${[types]}::text[], '{*}', ${tenant_id},
      'paused', kernel.now(), '2026-01', 8, 1, ''::bytea, 'manual'
    from unnest(${ids}::uuid[]) as one (id)`)
  return ids
}

function event(tenant_id: string, type: string): LoggedEvent {
  const time = '2026-11-21T10:00:00.000Z'
  return {
    position: 1,
    id: newId(),
    tenant_id,
    type,
    schema_version: 1,
    aggregate_type: 'account',
    aggregate_id: newId(),
    aggregate_version: 1,
    payload: {},
    payload_ref: null,
    traceparent: null,
    occurred_at: time,
    created_at: time,
  }
}

const Row = Type.Object({ event_id: Type.String(), subscription_id: Type.String() })

test('what fills its portion holds up the later ones of its tenant, and of no other', async () => {
  const { db } = world.platform.kernel
  const [one, other] = [newId(), newId()]
  const few = await subscriptions(one, 2, 'payment.*')
  const many = await subscriptions(one, limit + 1, 'order.placed')
  const theirs = await subscriptions(other, 1, '*')
  const before = event(one, 'payment.authorized')
  const wide = event(one, 'order.placed')
  const after = event(one, 'payment.authorized')
  const elsewhere = event(other, 'order.placed')
  const unheard = event(newId(), 'order.placed')
  const events = [before, wide, after, elsewhere, unheard]
  const expanded = await db.tx(tx => expand(tx, events, portion))
  expect(expanded.map(({ queued, subscription_ids }) => [queued, subscription_ids])).toEqual([
    [false, few],
    [false, many.slice(0, limit)],
    [true, []],
    [false, theirs],
    [false, []],
  ])
  const again = await db.tx(tx => expand(tx, events, portion))
  expect(again).toEqual(expanded)
  const rows = await db.many(
    Row,
    sql`
      -- any tenant: those of this test
      select event_id, subscription_id from webhooks.deliveries
      where event_id = any (${events.map(({ id }) => id)}::uuid[])`,
  )
  expect(new Set(rows.map(row => `${row.event_id} ${row.subscription_id}`))).toEqual(
    new Set([
      ...few.map(id => `${before.id} ${id}`),
      ...many.slice(0, limit).map(id => `${wide.id} ${id}`),
      `${elsewhere.id} ${theirs[0]}`,
    ]),
  )
})

test('an internal event reaches no subscription, not even `*`', async () => {
  const { db } = world.platform.kernel
  const tenant_id = newId()
  const [wants] = await subscriptions(tenant_id, 1, '*')
  const about = (type: string, data: object, n = newId()) => ({
    type,
    tenant_id,
    aggregate_type: type.split('.')[0] ?? '',
    aggregate_id: n,
    aggregate_version: 1,
    data,
  })
  const receipt_id = newId()
  const received = { receipt_id, provider: 'stripe', provider_account: 'one', type: null }
  // In one lane, so that the second is heard after the first.
  const ids = await db.tx(async tx => [
    tx.emit(about('inbound_receipt.received', received, receipt_id)),
    tx.emit(about('account.verified', { account_id: receipt_id }, receipt_id)),
  ])
  const heard = await eventually('the second came', async () => {
    const rows = await db.many(
      Row,
      sql`select event_id, subscription_id from webhooks.deliveries where tenant_id = ${tenant_id}`,
    )
    return rows.length > 0 && rows
  })
  expect(heard).toEqual([{ event_id: ids[1], subscription_id: wants }])
})
