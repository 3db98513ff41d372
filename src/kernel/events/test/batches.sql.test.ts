/** A consumer that takes what came together in one go: as one after the other would, and once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { LoggedEvent } from '../event.ts'
import { listParks } from '../operate.ts'
import { changed, emit, eventually, openWorld } from './process.ts'

let ground: Clone
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(() => ground.drop())

const versions = 5
const portion_max = 10

test('each is heard once and in order, and one that fails holds up only its aggregate', async () => {
  const heard: string[] = []
  const sizes: number[] = []
  const ill = newId()
  const fails = (events: readonly LoggedEvent[]) =>
    events.some(one => one.aggregate_id === ill && one.aggregate_version === 2)
  const world = openWorld({
    url: ground.url,
    park_schedule: [60],
    consumers: [
      {
        name: 'gathering',
        events: ['thing.changed'],
        run: async (tx, event) => {
          await tx.run(sql`select 1`)
          if (fails([event])) throw new Error('ill')
          tx.afterCommit(() => heard.push(`${event.aggregate_id} ${event.aggregate_version}`))
        },
        runAll: async (tx, events) => {
          sizes.push(events.length)
          await tx.run(sql`select 1`)
          if (fails(events)) throw new Error('one of them is ill')
          tx.afterCommit(() => {
            for (const one of events) heard.push(`${one.aggregate_id} ${one.aggregate_version}`)
          })
        },
      },
    ],
  })
  const well = Array.from({ length: 60 }, newId)
  for (let version = 1; version <= versions; version++) {
    await emit(world.db, ...[ill, ...well].map(id => changed(id, version)))
  }
  await world.events.start()
  await eventually(() => heard.length === well.length * versions + 1)
  const of = (id: string) =>
    heard.filter(one => one.startsWith(id)).map(one => Number(one.split(' ')[1]))
  for (const id of well) expect(of(id)).toEqual([1, 2, 3, 4, 5])
  expect(of(ill)).toEqual([1])
  const asked = { consumer: 'gathering', state: 'waiting' as const }
  const parks = await listParks(world.db, asked, { before: null, limit: 10 })
  expect(parks).toEqual([expect.objectContaining({ aggregate_id: ill })])
  expect(Math.max(...sizes)).toBe(portion_max)
  await world.stop()
})
