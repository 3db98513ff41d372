/** All connections of a process are in use: requests wait for one, and are not refused as too old. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { sql } from '../../../kernel/database/sql.ts'

const pool = 4
const world = await openProductWorld({ KERNEL_DATABASE_POOL: String(pool) })
afterAll(() => world.close())

test('a token is accepted while every connection is busy for longer than the list of ended sessions is valid', async () => {
  const { token } = await world.member()
  const busy = Promise.all(
    Array.from({ length: pool }, () => world.platform.kernel.db.run(sql`select pg_sleep(4.5)`)),
  )
  // The list that was read before is valid for two seconds.
  await setTimeout(3000)
  expect((await world.call('GET', '/v1/me', { token })).status).toBe(200)
  await busy
})
