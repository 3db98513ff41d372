/** A standby that lacks the last events takes over: their positions are given to other events. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import type { Consumer } from '../../surface.ts'
import { changed, count, emit, eventually, openWorld, type World } from './process.ts'

let ground: Clone
let world: World
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(async () => {
  await world.stop()
  await ground.drop()
})

const some = (events: number) => Array.from({ length: events }, () => changed(newId(), 1))

test('events that take the positions of lost ones are handled by running consumers', async () => {
  const handled: string[] = []
  const consumer: Consumer = {
    name: 'follower',
    events: 'all',
    run: (_tx, event) => {
      handled.push(event.id)
      return Promise.resolve()
    },
  }
  world = openWorld({ url: ground.url, consumers: [consumer] })
  const { db } = world
  await world.events.start()
  await emit(db, ...some(10))
  await eventually(async () => (await count(db, sql`from kernel.inbox_events`)) === 10)
  // The last five events are lost, and what consumers did with them.
  await db.tx(async tx => {
    await tx.run(sql`
      delete from kernel.inbox_events where event_id in (
        select id from kernel.events where position > 5)`)
    await tx.run(sql`alter table kernel.events disable trigger append_only`)
    await tx.run(sql`delete from kernel.events where position > 5`)
    await tx.run(sql`update kernel.event_counter set position = 5`)
    await tx.run(sql`update kernel.event_consumers set position = least(position, 5)`)
    await tx.run(sql`alter table kernel.events enable trigger append_only`)
  })
  await emit(db, ...some(7))
  await eventually(async () => (await count(db, sql`from kernel.events`)) === 12)
  await eventually(async () => (await count(db, sql`from kernel.inbox_events`)) === 12)
  expect(new Set(handled).size).toBe(17)
})
