/** A consumer that starts at the head of the log, and one that wants few of the events that it gets. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { Consumer } from '../../surface.ts'
import { listParks } from '../operate.ts'
import { changed, count, emit, eventually, openWorld } from './process.ts'

let ground: Clone
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(() => ground.drop())

function listening(name: string, heard: string[], more: Partial<Consumer> = {}): Consumer {
  return {
    name,
    events: ['thing.changed'],
    run: async (tx, event) => {
      await tx.run(sql`select 1`)
      tx.afterCommit(() => heard.push(event.aggregate_id))
    },
    ...more,
  }
}

test('a new consumer from the head gets nothing older, and after a stop what it missed', async () => {
  const [before, after, missed] = [newId(), newId(), newId()]
  const first: string[] = []
  const earlier = openWorld({ url: ground.url, consumers: [listening('from.first', first)] })
  await earlier.events.start()
  await emit(earlier.db, changed(before, 1))
  await eventually(() => first.includes(before))
  await earlier.stop()

  const heard: string[] = []
  const consumers = () => [listening('from.head', heard, { from: 'head' })]
  const one = openWorld({ url: ground.url, consumers: consumers() })
  await one.events.start()
  await emit(one.db, changed(after, 1))
  await eventually(() => heard.includes(after))
  await one.stop()

  const other = openWorld({ url: ground.url, work: false })
  await emit(other.db, changed(missed, 1))
  await other.stop()
  const two = openWorld({ url: ground.url, consumers: consumers() })
  await two.events.start()
  await eventually(() => heard.includes(missed))
  await two.stop()
  expect(heard).toEqual([after, missed])
})

test('an event that is not wanted has no inbox row; one that fails is parked and retried', async () => {
  const heard: string[] = []
  const ill = { now: true }
  const [wanted, other, failing] = [newId(), newId(), newId()]
  const asked: number[] = []
  const choosy = listening('choosy', heard, {
    from: 'head',
    wants: (_, events) => {
      asked.push(events.length)
      return Promise.resolve(
        new Set(events.filter(one => one.aggregate_id !== other).map(one => one.id)),
      )
    },
    run: async (tx, event) => {
      await tx.run(sql`select 1`)
      if (event.aggregate_id === failing && ill.now) throw new Error('ill')
      tx.afterCommit(() => heard.push(event.aggregate_id))
    },
  })
  const world = openWorld({
    url: ground.url,
    consumers: [choosy],
    park_schedule: Array(20).fill(0.3),
  })
  await world.events.start()
  await emit(world.db, changed(other, 1), changed(wanted, 1), changed(failing, 1))
  await eventually(() => heard.includes(wanted))
  await eventually(async () => {
    const failed = { consumer: 'choosy', state: 'waiting' as const }
    const [park] = await listParks(world.db, failed, { before: null, limit: 10 })
    return park?.aggregate_id === failing
  })
  ill.now = false
  await eventually(() => heard.includes(failing))
  expect(heard.sort()).toEqual([wanted, failing].sort())
  expect(asked.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(3)
  expect(await count(world.db, sql`from kernel.inbox_events where consumer = 'choosy'`)).toBe(2)
  await world.stop()
})
