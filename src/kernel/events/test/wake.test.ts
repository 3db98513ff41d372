/** Losing words costs latency only; what one process commits, another handles. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import type { Db } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { changed, count, emit, eventually, openWorld, stopAutovacuum } from './process.ts'

let ground: Clone
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
  await stopAutovacuum(ground.url)
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
  const pass = async (seconds: number) => {
    const begun = await clock(world.db)
    await eventually(async () => (await clock(world.db)) - begun > seconds)
  }
  // The last words to the other processes have gone out by then.
  await pass(1)
  const before = await marks(world.db)
  expect(before.length).toBeGreaterThan(0)
  // Long enough for two looks over all consumers.
  await pass(11)
  expect(await marks(world.db)).toEqual(before)
  await world.stop()
})

const Seconds = Type.Object({ seconds: Type.Number() })

const clock = async (db: Db) =>
  (await db.one(Seconds, sql`select extract(epoch from clock_timestamp())::float8 as seconds`))
    .seconds

const Table = Type.Object({ name: Type.String() })
const Mark = Type.Object({ mark: Type.String() })

/**
 * Which transaction wrote or locked each row of the kernel. The server's own count of transactions
 * would say it in one number, but other databases move it too.
 */
async function marks(db: Db): Promise<string[]> {
  const tables = await db.many(
    Table,
    sql`select relname::text as name from pg_class
      where relnamespace = 'kernel'::regnamespace and relkind = 'r' order by relname`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await db.many(
      Mark,
      sql`select concat_ws(' ', ${name}::text, ctid, xmin, xmax) as mark
        from ${sql.id('kernel', name)} order by ctid`,
    )
    found.push(...rows.map(row => row.mark))
  }
  return found
}
