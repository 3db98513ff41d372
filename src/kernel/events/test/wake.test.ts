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

test('an idle process asks little and writes nothing', async () => {
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
  const before = await standing(world.db)
  // Long enough for two looks; what is counted is what PostgreSQL saw, not what we believe.
  await eventually(async () => (await standing(world.db)).seconds - before.seconds > 12)
  const after = await standing(world.db)
  expect(after.written).toBe(before.written)
  await world.stop()
}, 40_000)

const Standing = Type.Object({ seconds: Type.Number(), written: Type.Integer() })

/** Rows that were ever written to our tables in this database. */
const standing = (db: Db) =>
  db.one(
    Standing,
    sql`
      select extract(epoch from clock_timestamp())::float8 as seconds,
        sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as written
      from pg_stat_user_tables where schemaname = 'kernel'`,
  )
