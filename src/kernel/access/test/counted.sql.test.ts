/** A quota on rows is exact near its limit, and takes no lock far below it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { count, openWorld, type World } from '../../events/test/process.ts'
import { newId } from '../../ids.ts'
import { openCounted } from '../counted.ts'

let ground: Clone
let world: World
beforeAll(async () => {
  ground = await cloneDatabase()
  world = openWorld({ url: ground.url, work: false, pool: 20 })
  await world.db.run(sql`create table public.things (lot uuid not null)`)
})
afterAll(async () => {
  await world.stop()
  await ground.drop()
})

const rows = (lot: string) => sql`select from public.things where lot = ${lot}`
const held = (lot: string) => count(world.db, sql`from (${rows(lot)}) r`)
const fill = (lot: string, many: number) =>
  world.db.run(sql`
    insert into public.things select ${lot}::uuid from generate_series(1, ${many}::int)`)

/** Two processes: what one has counted the other does not know. */
const counters = [openCounted(), openCounted()]

const add = (lot: string, limit: number, at = 0, by = 1) =>
  world.db.tx(async tx => {
    await counters[at % 2]?.(tx, `test:${lot}`, limit, rows(lot), by)
    await tx.run(
      sql`insert into public.things select ${lot}::uuid from generate_series(1, ${by}::int)`,
    )
  })

test('a small limit is exact for two processes at once', async () => {
  const lot = newId()
  const all = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => add(lot, 7, n)))
  expect(all.filter(one => one.status === 'fulfilled')).toHaveLength(7)
  expect(await held(lot)).toBe(7)
  const refused = all.find(one => one.status === 'rejected')
  expect(refused?.reason).toMatchObject({ code: 'quota_exceeded' })
})

test('a large limit is exact near its end', async () => {
  const lot = newId()
  await fill(lot, 1990)
  const all = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => add(lot, 2000, n)))
  expect(all.filter(one => one.status === 'fulfilled')).toHaveLength(10)
  await expect(add(newId(), 2000, 0, 2001)).rejects.toMatchObject({ code: 'quota_exceeded' })
})

test('below a small limit a tenth of it is added side by side, and it is exact all the same', async () => {
  const lot = newId()
  await fill(lot, 70)
  const entered = Array.from({ length: 10 }, () => Promise.withResolvers<null>())
  const all_in = Promise.all(entered.map(one => one.promise))
  await Promise.all(
    entered.map((one, at) =>
      world.db.tx(async tx => {
        await counters[at % 2]?.(tx, `test:${lot}`, 100, rows(lot))
        one.resolve(null)
        // All wait until everyone has counted: if they ran one after the other, they would wait for
        // ever.
        await all_in
        await tx.run(sql`insert into public.things values (${lot}::uuid)`)
      }),
    ),
  )
  expect(await held(lot)).toBe(80)
  const more = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => add(lot, 100, n)))
  expect(more.filter(one => one.status === 'fulfilled')).toHaveLength(20)
  expect(await held(lot)).toBe(100)
})

test('processes that do not know how near it is do not wait for each other in a circle', async () => {
  const lot = newId()
  await fill(lot, 92)
  const fresh = [openCounted(), openCounted()]
  let attempts = 0
  const all = await Promise.allSettled(
    Array.from({ length: 16 }, (_, at) =>
      // A transaction that ends in a deadlock is tried again.
      world.db.tx(async tx => {
        attempts++
        await fresh[at % 2]?.(tx, `test:${lot}`, 100, rows(lot))
        await tx.run(sql`insert into public.things values (${lot}::uuid)`)
      }),
    ),
  )
  expect(all.filter(one => one.status === 'fulfilled')).toHaveLength(8)
  // Each begins at most once more.
  expect(attempts).toBeLessThanOrEqual(32)
})

test('far below it nothing waits for another writer of the same scope', async () => {
  const lot = newId()
  const entered = Promise.withResolvers<null>()
  const open = Promise.withResolvers<null>()
  const slow = world.db.tx(async tx => {
    await counters[0]?.(tx, `test:${lot}`, 5000, rows(lot))
    entered.resolve(null)
    await open.promise
  })
  await entered.promise
  await add(lot, 5000, 1)
  expect(await held(lot)).toBe(1)
  open.resolve(null)
  await slow
})
