/**
 * The database becomes unavailable under the engine: nothing is lost, nothing is doubled, and it
 * continues by itself.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnavailable } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'
import { gate } from './toils.ts'

let world: EngineWorld
beforeAll(async () => {
  // The wait also limits how long a connection that was cut may take to open again.
  world = await openEngineWorld({ KERNEL_DATABASE_POOL: '4', KERNEL_DATABASE_WAIT_MS: '2000' })
})
afterAll(async () => {
  await world.check()
  await world.close()
})

/**
 * On a busy machine all four connections may be in use for longer than a caller waits. It gets 503
 * then, has submitted nothing, and asks again.
 */
const submitted = (count: number, parameters: object) =>
  eventually('they can be submitted', () =>
    world.submitMany(count, { type: 'toil.any', parameters }).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
      return undefined
    }),
  )

const succeeded = async (ids: readonly string[]) => {
  const [row] = await world.query<{ n: number }>(
    `select count(*)::int as n from jobs.jobs where id = any ($1) and state = 'succeeded'`,
    [ids],
  )
  return row?.n ?? 0
}

/** Every connection but our own, the one that hears wake-ups included. */
const terminate = () =>
  world.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'looks'`,
  )

test('connections are cut again and again under load', async () => {
  const ids = await submitted(1000, { wait_ms: 3 })
  for (let cut = 0; cut < 8; cut++) {
    const before = await succeeded(ids)
    await eventually(
      'work goes on',
      async () => (await succeeded(ids)) >= Math.min(1000, before + 10),
      Infinity,
    )
    await terminate().catch(() => {})
  }
  await eventually('all are done', async () => (await succeeded(ids)) === 1000, Infinity)
  const [row] = await world.query<{ doubled: number }>(
    `select count(*)::int as doubled from (
       select aggregate_id from kernel.events where aggregate_type = 'job'
       group by aggregate_id having count(*) > 1) d`,
  )
  expect(row?.doubled).toBe(0)
})

test('with every connection in use it waits, and then continues', async () => {
  const { promise: enough, resolve: release } = Promise.withResolvers<null>()
  const hogs = Array.from({ length: 4 }, () => world.kernel.db.tx(async () => await enough))
  const ids = await world.submitMany(20, { type: 'toil.any' }).catch(() => [] as string[])
  release(null)
  await Promise.all(hogs)
  const more = await submitted(20, {})
  const all = [...ids, ...more]
  await eventually('all are done', async () => (await succeeded(all)) === all.length)
  expect(more).toHaveLength(20)
})

test('a wake-up that is lost is made up for by looking', async () => {
  const [id = ''] = await submitted(1, { gate: 'unheard' })
  await eventually('it has begun', () => gate('unheard').arrived.length === 1)
  gate('unheard').open()
  await world.reached(id, 'succeeded')
  // Written by a process that wakes no other.
  const copy = await world.query<{ id: string }>(
    `with copy as (
       insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation, max_attempts)
       select gen_random_uuid(), tenant_id, type, 1, principal_id, operation, 1
       from jobs.jobs where id = $1 returning id, tenant_id, type),
     queued as (
       insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank)
       select tenant_id, id, type, 1, 5 from copy),
     remembered as (
       insert into jobs.job_events (job_id, sequence, tenant_id, type)
       select id, 1, tenant_id, 'submitted' from copy)
     select id from copy`,
    [id],
  )
  const row = await world.reached(copy[0]?.id ?? '', 'succeeded')
  expect(row.attempt_count).toBe(1)
})
