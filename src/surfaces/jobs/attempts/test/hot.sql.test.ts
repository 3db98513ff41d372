/**
 * A job that goes well writes no index of its own table: what changes on its way is in none of them, and
 * pages keep room for its versions. A transaction of another program on the same server, also in another
 * database, keeps old versions in their pages; it can spoil a round but never mend one, so of several
 * rounds one must be good.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { engineOf } from './engine-of.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'

let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld({ ROLES: 'api', KERNEL_DATABASE_POOL: String(pool) })
})
afterAll(() => world.close())

type Updates = { updates: number; hot: number }

const pool = 4
// A short round is more likely to meet no such transaction.
const jobs = 50
const rounds = 150

test('of the jobs in a row hardly an update is anything but hot', async () => {
  let before: Updates = { updates: 0, hot: 0 }
  const shares: number[] = []
  while (shares.length < rounds && (shares.at(-1) ?? 0) < 0.95) {
    await doJobs()
    const after = await updatesSince(before)
    shares.push((after.hot - before.hot) / (after.updates - before.updates))
    before = after
  }
  expect(shares.at(-1)).toBeGreaterThanOrEqual(0.95)
})

async function doJobs(): Promise<void> {
  const tenant_id = newId()
  await world.submitMany(jobs, { type: 'toil.any', tenant_id })
  const { engine, rules } = engineOf(world.kernel)
  const asked = { worker_id: newId(), types: rules('toil.any'), tenant_id, max_jobs: 50 }
  for (let done = 0; done < jobs;) {
    const leases = await engine.claim({ ...asked, claim_id: newId() })
    for (const { attempt_id, lease_token, version } of leases) {
      const ending = { outcome: 'succeeded' } as const
      await engine.finalize({ attempt_id, lease_token, version, ending })
    }
    done += leases.length
  }
}

async function updatesSince(before: Updates): Promise<Updates> {
  await reportStatistics()
  return await eventually('the statistics have arrived', async () => {
    const [seen] = await world.query<Updates>(
      `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot
       from pg_stat_user_tables where schemaname = 'jobs' and relname = 'jobs'`,
    )
    return seen && seen.updates >= before.updates + jobs * 2 && seen
  })
}

/** An idle connection reports what it has counted only after ten seconds, so each one is flushed. */
async function reportStatistics(): Promise<void> {
  const { promise: all, resolve: release } = Promise.withResolvers<null>()
  let held = 0
  const report = async (tx: Tx) => {
    await tx.run(sql`select pg_stat_force_next_flush()`)
    if (++held === pool) release(null)
    await all
  }
  await Promise.all(Array.from({ length: pool }, () => world.kernel.db.tx(report)))
}
