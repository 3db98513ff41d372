/** All connections of a process are in use: requests wait for one, and are not refused as too old. */
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'

const pool = 4
const world = await openProductWorld({ KERNEL_DATABASE_POOL: String(pool) })
afterAll(() => world.close())

test('a token is accepted while every connection is busy for longer than the list of ended sessions is valid', async () => {
  const { token } = await world.member()
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  await client.query('select pg_advisory_lock(4)')
  const { db } = world.platform.kernel
  const busy = Promise.all(
    Array.from({ length: pool }, () => db.run(sql`select pg_advisory_xact_lock_shared(4)`)),
  )
  await eventually('every connection is busy', async () => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 4
         and not granted`,
    )
    return rows[0]?.n === pool
  })
  // The list that was read before is valid for two seconds.
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2500)
  // A body that is refused is refused after the token, and without a connection.
  const answer = await world.call('POST', '/v1/email-changes', { token, body: {} })
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  clock.mockRestore()
  await client.end()
  await busy
})
