/** Losing words costs latency only; what one process commits, another handles. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { cloneDatabase, type Ground } from './ground.ts'
import { changed, count, emit, eventually, openWorld } from './process.ts'

let ground: Ground
beforeAll(async () => {
  ground = await cloneDatabase()
})
afterAll(() => ground.drop())

test('a process without work wakes one with work; without any word the poll finds it', async () => {
  const heard: number[] = []
  const worker = openWorld({
    url: ground.url,
    consumers: [
      {
        name: 'ear',
        events: ['thing.changed'],
        run: async (tx, event) => tx.afterCommit(() => heard.push(event.aggregate_version)),
      },
    ],
  })
  const api = openWorld({ url: ground.url, work: false })
  let woken = 0
  worker.events.onWake(() => woken++)
  await worker.events.start()
  await api.events.start()
  const id = newId()
  await emit(api.db, changed(id, 1))
  await eventually(() => heard.length === 1)
  const listeners = sql`from pg_stat_activity
    where application_name = 'dodeca-test direct' and datname = current_database()`
  await api.db.run(sql`select pg_terminate_backend(pid) ${listeners}`)
  await emit(api.db, changed(id, 2))
  await eventually(() => heard.length === 2)
  await eventually(async () => (await count(api.db, listeners)) === 2)
  const before = woken
  // The word goes out again until both connections are there.
  await eventually(() => {
    api.events.wake()
    return woken > before
  })
  expect(heard).toEqual([1, 2])
  await api.stop()
  await worker.stop()
})

test('an idle process writes nothing', async () => {
  const world = openWorld({
    url: ground.url,
    consumers: Array.from({ length: 20 }, (_, i) => ({
      name: `quiet${i}`,
      events: ['thing.removed'],
      run: () => Promise.resolve(),
    })),
  })
  await world.events.start()
  await emit(world.db, changed(newId(), 1))
  await eventually(async () => (await count(world.db, sql`from kernel.outbox_events`)) === 0)
  const busy = await standing(world.db)
  // The last words to the other processes have gone out by then.
  await eventually(async () => (await standing(world.db)).seconds - busy.seconds > 1)
  const before = await standing(world.db)
  // Long enough for two looks over all consumers.
  await eventually(async () => (await standing(world.db)).seconds - before.seconds > 11)
  expect((await standing(world.db)).next_transaction).toBe(before.next_transaction)
  await world.stop()
}, 40_000)

const Standing = Type.Object({ seconds: Type.Number(), next_transaction: Type.Integer() })

/** A transaction takes a number when it writes for the first time. */
const standing = (db: Db) =>
  db.one(
    Standing,
    sql`
      select extract(epoch from clock_timestamp())::float8 as seconds,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction`,
  )
