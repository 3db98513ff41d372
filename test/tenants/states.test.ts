/** A process learns of a tenant's state also if it cannot read it at the first attempt. */
import { afterAll, expect, test } from 'vitest'
import { directClient } from '../../src/kernel/database/direct.ts'
import { sql, tenant_states_topic } from '#dodeca/kernel'
import { openProductWorld } from '../product-world.ts'
import { eventually } from '../world.ts'

const pool = 2
const world = await openProductWorld({
  ROLES: 'api',
  KERNEL_DATABASE_POOL: String(pool),
  KERNEL_DATABASE_WAIT_MS: '1000',
})
const { db, onWake } = world.platform.kernel
afterAll(() => world.close())

/** No connection is free until `work` has ended. */
async function withoutConnections(work: () => Promise<void>): Promise<void> {
  const end = Promise.withResolvers<null>()
  const holding = Array.from({ length: pool }, () =>
    db.tx(async tx => {
      await tx.run(sql`select 1`)
      await end.promise
    }),
  )
  await eventually('no connection is free', () => db.load().total === pool && db.load().idle === 0)
  try {
    await work()
  } finally {
    end.resolve(null)
    await Promise.all(holding)
  }
}

test('a tenant that is frozen while no connection is free is refused soon', async () => {
  const { token, tenant } = await world.member()
  const write = () => world.call('PATCH', '/v1/me', { token, body: { display_name: 'Ada' } })
  const client = directClient(world.database_url, 'test')
  await client.connect()
  await withoutConnections(async () => {
    let woken = false
    const off = onWake(() => (woken = true), [tenant_states_topic])
    await client.query(
      `insert into kernel.tenant_states (tenant_id, state, reason) values ($1, 'frozen', 'a test')`,
      [tenant.id],
    )
    await eventually('the process looks', () => woken)
    off()
    await eventually('it has given up', () => db.load().waiting === 0)
  })
  await eventually('its writes are refused', async () => (await write()).status === 503)
  await client.query('delete from kernel.tenant_states')
  await eventually('its writes are served', async () => (await write()).status !== 503)
  expect((await write()).status).toBe(200)
  await client.end()
})
