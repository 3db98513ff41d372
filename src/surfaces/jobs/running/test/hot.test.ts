/**
 * A job that goes well writes no index of its own table: what changes on its way is in none of them, and
 * pages keep room for its versions.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'

let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld()
})
afterAll(() => world.close())

type Updates = { updates: number; hot: number }

test('of two thousand jobs in a row hardly an update is anything but hot', async () => {
  const ids = await world.submitMany(2000, { type: 'toil.any' })
  await world.reached(ids.at(-1) ?? '', 'succeeded')
  const row = await eventually('the statistics have arrived', async () => {
    const [seen] = await world.query<Updates>(
      `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot
       from pg_stat_user_tables where schemaname = 'jobs' and relname = 'jobs'`,
    )
    return seen && seen.updates >= 3500 && seen
  })
  expect(row.hot / row.updates).toBeGreaterThanOrEqual(0.95)
})
