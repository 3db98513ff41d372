/** All writers of a payment lock its rows in one order, so that no two wait for each other in a circle. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { lockOpenOperations } from '../operations/rows.ts'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld()
})
afterAll(() => world.close())

test('the open operation is locked before one that waits for the buyer', async () => {
  const shop = await world.merchant()
  const { id } = await shop.authorized(4000, 'pm_card_authenticationRequired')
  const { db } = world.platform.kernel
  const cancel = newId()
  // As if it had been begun. It is not due.
  await db.run(sql`
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, state, provider, amount_minor)
    values (${shop.tenant.id}, ${cancel}, ${id}, 'cancel', 'created', 'stripe', 4000)`)
  const locked = await db.tx(tx => lockOpenOperations(tx, { tenant_id: shop.tenant.id, id }))
  expect(locked.map(one => one.state)).toEqual(['created', 'requires_action'])
  expect(locked[0]?.id).toBe(cancel)
})

test('a resolution of an item locks the operations before the item, as a difference does that opens one', async () => {
  const shop = await world.merchant()
  const { id } = await shop.authorized(4000)
  const { db } = world.platform.kernel
  const [item, capture] = [newId(), newId()]
  await db.run(sql`
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, state, provider, amount_minor, error_code)
    values (${shop.tenant.id}, ${capture}, ${id}, 'capture', 'pending_provider', 'stripe', 4000,
      'amount_mismatch')`)
  await db.run(sql`
    insert into payments.reconciliation_items (tenant_id, id, provider, local_ref, discrepancy)
    values (${shop.tenant.id}, ${item}, 'stripe', ${id}, 'amount_mismatch')`)
  const { resolved } = await db.tx(async tx => {
    await tx.run(sql`
      select from payments.payment_operations
      where tenant_id = ${shop.tenant.id} and intent_id = ${id} for update`)
    const path = `/v1/reconciliation-items/${item}/resolve`
    const asked = shop.ask('POST', path, { resolution: 'resolved', note: 'Looked at.' })
    const waits = sql`
      select from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%payments.payment_operations%'`
    await eventually('it waits for the operations', async () => (await db.run(waits)) > 0)
    const free = await tx.run(sql`
      select from payments.reconciliation_items
      where tenant_id = ${shop.tenant.id} and id = ${item} for update skip locked`)
    expect(free).toBe(1)
    return { resolved: asked }
  })
  expect((await resolved).status).toBe(200)
})
