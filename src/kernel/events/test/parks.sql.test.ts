/** An event that fails holds up its aggregate for its consumer, and nothing else. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { Consumer } from '../../surface.ts'
import { listParks, retryPark, skipPark, type ParkState } from '../operate.ts'
import { readConsumers } from '../consumers/lag.ts'
import { changed, count, emit, eventually, openWorld, type World } from './process.ts'

let ground: Clone
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(() => ground.drop())

type Scene = { world: World; heard: string[]; sick: Set<string> }

/** A consumer that fails for the sick, and one that never does. */
async function scene(name: string, park_schedule: readonly number[]): Promise<Scene> {
  const heard: string[] = []
  const sick = new Set<string>()
  const fussy: Consumer = {
    name,
    events: ['thing.changed', 'thing.removed'],
    run: async (tx, event) => {
      const key = `${event.aggregate_id} ${event.aggregate_version}`
      await tx.run(sql`select 1`)
      if (sick.has(key) || sick.has(event.aggregate_id)) {
        throw Object.assign(new Error('sick'), { code: 'sick' })
      }
      tx.afterCommit(() => heard.push(key))
    },
  }
  const world = openWorld({ url: ground.url, consumers: [fussy], park_schedule })
  await world.events.start()
  return { world, heard, sick }
}

const of = (heard: readonly string[], id: string) =>
  heard.filter(one => one.startsWith(id)).map(one => Number(one.split(' ')[1]))

function parkIn(world: World, consumer: string, id: string, state: ParkState) {
  return eventually(async () => {
    const parks = await listParks(world.db, { consumer, state }, { before: null, limit: 100 })
    return parks.find(park => park.aggregate_id === id)
  })
}

const decision = (id: string) => ({ id, actor: 'operator', tenant_id: null, reason: 'tested' })

test('one aggregate waits, others flow, and its order is kept when it is tried again', async () => {
  const { world, heard, sick } = await scene('flow', [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3])
  const [ill, ...well] = Array.from({ length: 40 }, newId) as [string, ...string[]]
  sick.add(`${ill} 2`)
  for (let n = 1; n <= 3; n++) await emit(world.db, ...[ill, ...well].map(id => changed(id, n)))
  await eventually(() => well.every(id => of(heard, id).length === 3))
  expect(of(heard, ill)).toEqual([1])
  for (const id of well) expect(of(heard, id)).toEqual([1, 2, 3])
  const park = await parkIn(world, 'flow', ill, 'waiting')
  expect(park).toMatchObject({ last_error_code: 'sick', consumer: 'flow' })
  sick.clear()
  await emit(world.db, changed(ill, 4))
  await eventually(() => of(heard, ill).length === 4)
  expect(of(heard, ill)).toEqual([1, 2, 3, 4])
  await parkIn(world, 'flow', ill, 'resolved')
  await world.stop()
})

test('after its last attempt it is dead; an operator retries it, or gives it up', async () => {
  const { world, heard, sick } = await scene('grave', [0.05, 0.05])
  const [one, two] = [newId(), newId()]
  sick.add(`${one} 1`).add(`${two} 1`)
  for (const id of [one, two]) {
    await emit(world.db, changed(id, 1), changed(id, 2), changed(id, 3))
  }
  const dead = await parkIn(world, 'grave', one, 'dead')
  expect(dead).toMatchObject({ attempts: 3, next_attempt_at: null })
  expect([...of(heard, one), ...of(heard, two)]).toEqual([])
  await eventually(async () => {
    const page = { after: '', limit: 10 }
    const [behind] = await readConsumers(world.db, [{ consumer: 'grave', types: null }], page)
    return behind?.lag_events === 0 && behind.parked === 2
  })

  // Still sick: one more attempt, and dead again.
  await world.db.tx(tx => retryPark(tx, decision(dead.id)))
  const again = await eventually(async () => {
    const found = await parkIn(world, 'grave', one, 'dead')
    return found.attempts === 4 && found
  })
  sick.delete(`${one} 1`)
  await world.db.tx(tx => retryPark(tx, decision(again.id)))
  await eventually(() => of(heard, one).length === 3)
  expect(of(heard, one)).toEqual([1, 2, 3])

  const other = await parkIn(world, 'grave', two, 'dead')
  const skipped = await world.db.tx(tx => skipPark(tx, decision(other.id)))
  expect(skipped.state).toBe('skipped')
  await eventually(() => of(heard, two).length === 2)
  expect(of(heard, two)).toEqual([2, 3])
  await eventually(
    async () => (await count(world.db, sql`from kernel.event_parks where blocking`)) === 0,
  )

  for (const act of [retryPark, skipPark]) {
    for (const { id } of [again, other]) {
      await expect(world.db.tx(tx => act(tx, decision(id)))).rejects.toMatchObject({
        code: 'invalid_transition',
        status: 409,
      })
    }
    await expect(world.db.tx(tx => act(tx, decision(newId())))).rejects.toMatchObject({
      code: 'event_park_not_found',
    })
  }
  expect(
    await count(world.db, sql`from kernel.audit_events where action like 'kernel.event_parks.%'`),
  ).toBe(3)
  await world.stop()
})

test('a waiting park cannot be retried, but skipped', async () => {
  const { world, heard, sick } = await scene('wait', [600])
  const id = newId()
  sick.add(`${id} 1`)
  await emit(world.db, changed(id, 1), changed(id, 2))
  const park = await parkIn(world, 'wait', id, 'waiting')
  await expect(world.db.tx(tx => retryPark(tx, decision(park.id)))).rejects.toMatchObject({
    code: 'invalid_transition',
    details: { current_state: 'waiting' },
  })
  await world.db.tx(tx => skipPark(tx, decision(park.id)))
  await eventually(() => of(heard, id).length === 1)
  expect(of(heard, id)).toEqual([2])
  await world.stop()
})

test('behind a finished park the next failing event parks in its turn', async () => {
  const { world, heard, sick } = await scene('chain', [0.2, 0.2, 0.2, 0.2, 0.2])
  const id = newId()
  sick.add(`${id} 1`).add(`${id} 3`)
  await emit(world.db, changed(id, 1), changed(id, 2), changed(id, 3), changed(id, 4))
  await parkIn(world, 'chain', id, 'waiting')
  sick.delete(`${id} 1`)
  await eventually(() => of(heard, id).length === 2)
  expect(of(heard, id)).toEqual([1, 2])
  sick.clear()
  await eventually(() => of(heard, id).length === 4)
  expect(of(heard, id)).toEqual([1, 2, 3, 4])
  await world.stop()
})

test('an unknown type and a newer version park', async () => {
  const { world, heard } = await scene('known', [600])
  const [unknown, newer, fine] = [newId(), newId(), newId()]
  const insert = (id: string, type: string, version: number) => sql`
    insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
      aggregate_id, aggregate_version, payload)
    values (${newId()}, ${newId()}, ${type}, ${version}::int, 'thing', ${id}, 1, '{"n": 1}')`
  await world.stop()
  const all = openWorld({
    url: ground.url,
    consumers: [
      {
        name: 'everything',
        events: 'all',
        run: async (tx, event) => {
          tx.afterCommit(() => heard.push(`${event.aggregate_id} 1`))
        },
      },
    ],
    park_schedule: [600],
  })
  await all.events.start()
  await all.db.run(insert(unknown, 'thing.imagined', 1))
  await all.db.run(insert(newer, 'thing.changed', 2))
  await emit(all.db, changed(fine, 1))
  expect(await parkIn(all, 'everything', unknown, 'waiting')).toMatchObject({
    last_error_code: 'unknown_event_type',
  })
  expect(await parkIn(all, 'everything', newer, 'waiting')).toMatchObject({
    last_error_code: 'newer_schema_version',
  })
  await eventually(() => of(heard, fine).length === 1)
  await all.stop()
})

test("a tenant's failing event does not hold up the same aggregate id of another tenant", async () => {
  const { world, heard, sick } = await scene('foreign', [600])
  const id = newId()
  const order = (n: number) => ({ ...changed(id, n), type: 'thing.removed' })
  sick.add(`${id} 666`)
  await emit(world.db, { ...changed(id, 666), tenant_id: newId() })
  await parkIn(world, 'foreign', id, 'waiting')
  await emit(world.db, order(1), order(2))
  await eventually(() => of(heard, id).length === 2)
  expect(of(heard, id)).toEqual([1, 2])
  // Both tenants may have a park of the same id.
  sick.add(`${id} 3`)
  await emit(world.db, order(3), order(4))
  await eventually(
    async () =>
      (await count(
        world.db,
        sql`
        from kernel.event_parks where aggregate_id = ${id} and blocking and state = 'waiting'`,
      )) === 2,
  )
  await emit(world.db, { ...changed(newId(), 5) })
  expect(of(heard, id)).toEqual([1, 2])
  await world.stop()
})

test('an event of a type that is declared meanwhile is handled, however many attempts it took', async () => {
  const { world } = await scene('learner', [])
  const [id, seen] = [newId(), [] as string[]]
  await world.stop()
  const all = openWorld({
    url: ground.url,
    park_schedule: [],
    consumers: [
      {
        name: 'learner.all',
        events: 'all',
        run: async (tx, event) => {
          if (event.aggregate_id === id) tx.afterCommit(() => seen.push(event.type))
        },
      },
    ],
  })
  await all.events.start()
  await all.db.run(sql`
    insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
      aggregate_id, aggregate_version, payload)
    values (${newId()}, ${newId()}, 'dream.begun', 1, 'dream', ${id}, 1, '{}')`)
  // The schedule allows no second attempt, but nothing is wrong with the event.
  const park = await parkIn(all, 'learner.all', id, 'waiting')
  expect(park).toMatchObject({ last_error_code: 'unknown_event_type', attempts: 1 })
  const due = () =>
    all.db.run(sql`
      update kernel.event_parks set next_attempt_at = now() where id = ${park.id}`)
  await due()
  await eventually(async () => {
    const parks = await listParks(all.db, {}, { before: null, limit: 100 })
    return parks.find(one => one.id === park.id)?.attempts === 2
  })
  await all.db.run(sql`
    insert into kernel.event_types (type, description, schema) values ('dream.begun', 'd', '{}')`)
  await due()
  await eventually(() => seen.length === 1)
  await parkIn(all, 'learner.all', id, 'resolved')
  await all.stop()
})
