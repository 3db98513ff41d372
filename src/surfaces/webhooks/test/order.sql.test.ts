/**
 * Events of a transaction: all of them or none, in their order; ordered subscriptions are never
 * overtaken.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openSecrets } from '../sealed-secrets.ts'
import { at, openGround } from './ground.ts'
import { fine, openReceiver, status } from './receiver.ts'
import { settings } from '../settings.ts'

const ground = await openGround({ WEBHOOKS_RETRY_SCHEDULE: '0,1,1,1,1,1,1,1,1,1' })
afterAll(() => ground.close())
const { db } = ground.platform.kernel
const event_filter = { types: ['account.verified'] }

describe.concurrent('a transaction', () => {
  test('that is rolled back is never heard of', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    await ground.subscribe(owner, at(receiver), { event_filter })
    const lost = db.tx(async tx => {
      tx.emit({
        type: 'account.verified',
        tenant_id: owner.tenant.id,
        aggregate_type: 'account',
        aggregate_id: owner.id,
        aggregate_version: 7,
        data: { account_id: owner.id },
      })
      throw new Error('rolled back')
    })
    await expect(lost).rejects.toThrow('rolled back')
    const [event_id] = await ground.emit(owner)
    await eventually('the next came', () => receiver.received.length > 0)
    expect(receiver.received.map(one => one.id)).toEqual([event_id])
    await receiver.close()
  })

  test('that ends late delays no other, and its event comes', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    await ground.subscribe(owner, at(receiver), { event_filter })
    const begun = Promise.withResolvers<true>()
    const ended = Promise.withResolvers<true>()
    const late = db.tx(async tx => {
      // It takes its transaction id, and its place in the order of ids, before all others.
      await tx.run(sql`select pg_current_xact_id()`)
      begun.resolve(true)
      await ended.promise
      return tx.emit({
        type: 'account.verified',
        tenant_id: owner.tenant.id,
        aggregate_type: 'account',
        aggregate_id: owner.id,
        aggregate_version: 1,
        data: { account_id: owner.id },
      })
    })
    await begun.promise
    const others = await ground.emit(owner, 20)
    await eventually('the others came', () => receiver.received.length === 20)
    ended.resolve(true)
    const event_id = await late
    await eventually('it came, too', () => receiver.received.length === 21)
    expect(new Set(receiver.received.map(one => one.id))).toEqual(new Set([...others, event_id]))
    const rows = await db.many(
      Type.Object({ position: Type.Integer() }),
      sql`select position from kernel.events where tenant_id = ${owner.tenant.id} order by position`,
    )
    expect(new Set(rows.map(row => row.position)).size).toBe(rows.length)
    await receiver.close()
  })
})

describe.concurrent('an aggregate in order', () => {
  test('waits for its earlier version; others do not wait for it', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const made = await ground.subscribe(owner, at(receiver), {
      event_filter,
      ordering: 'aggregate',
    })
    const [stuck, free] = [newId(), newId()]
    let open = false
    receiver.answer((response, one) => {
      const { aggregate_id, aggregate_version } = JSON.parse(one.body.toString())
      const refuse = !open && aggregate_id === stuck && aggregate_version === 1
      ;(refuse ? status(503) : fine)(response, one)
    })
    const held = await ground.emit(owner, 20, { id: stuck, first: 1 })
    const others = await ground.emit(owner, 20, { id: free, first: 1 })
    const came = () => receiver.received.map(one => one.id)
    await eventually('the others came', () => others.every(id => came().includes(id)))
    expect(new Set(came().filter(id => held.includes(id)))).toEqual(new Set([held[0]]))
    open = true
    await eventually('all came', async () => (await ground.states(made.id))['delivered'] === 40)
    const last = (ids: string[]) =>
      came().filter((id, index) => came().lastIndexOf(id) === index && ids.includes(id))
    expect(last(held)).toEqual(held)
    expect(last(others)).toEqual(others)
    await receiver.close()
  })

  test('continues after a version that is given up', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const made = await ground.subscribe(owner, at(receiver), {
      event_filter,
      ordering: 'aggregate',
    })
    receiver.answer((response, one) =>
      JSON.parse(one.body.toString()).aggregate_version === 1
        ? status(400)(response, one)
        : fine(response, one),
    )
    await ground.emit(owner, 3, { id: newId(), first: 1 })
    const states = await eventually('it went on', async () => {
      const found = await ground.states(made.id)
      return found['delivered'] === 2 && found
    })
    expect(states).toEqual({ permanent_failure: 1, delivered: 2 })
    await receiver.close()
  })
})

test('with more subscriptions than one portion, none gets the second event before the first', async () => {
  const receiver = await openReceiver()
  const owner = await ground.owner()
  const many = 2500
  const secrets = openSecrets(ground.platform.kernelFor({ settings }))
  const ids = Array.from({ length: many }, () => newId())
  const { bytes } = secrets.make(undefined)
  await db.run(sql`
    with made as (
      insert into webhooks.subscriptions (tenant_id, id, endpoint, event_filter, readable, owner_id, state,
        api_version, max_in_flight, ordering, secret_version, secret_ciphertext, verification_mode)
      select ${owner.tenant.id}, one.id, ${at(receiver)} || one.id, '{account.verified}', '{*}',
        ${owner.id}, 'active', '2026-01', 8, 'aggregate', 1, one.sealed, 'manual'
      from unnest(${ids}::uuid[], ${ids.map(id => secrets.seal(id, 1, bytes))}::bytea[])
        as one (id, sealed)
      returning tenant_id, id
    )
    insert into webhooks.delivery_lanes (tenant_id, subscription_id) select tenant_id, id from made`)
  const aggregate = newId()
  const [first] = await ground.emit(owner, 1, { id: aggregate, first: 1 })
  const [second] = await ground.emit(owner, 1, { id: aggregate, first: 2 })
  // On a busy machine an answer may come too late. Then the same event is sent once more.
  const came = () =>
    [...Map.groupBy(receiver.received, one => one.path)].map(([path, sent]) => [
      path,
      ...new Set(sent.map(one => one.id)),
    ])
  await eventually('all came', () => came().flat().length === 3 * many)
  for (const [path, ...sent] of came()) expect([path, ...sent]).toEqual([path, first, second])
  await receiver.close()
})
