/**
 * A job that goes well writes no index of its own table: what changes on its way is in none of them, and
 * pages keep room for its versions. One worker, one thing at a time: a transaction of somebody else that
 * is open meanwhile would keep old versions in their pages, and that is not what is asked here.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../../kernel/ids.ts'
import { eventually } from '../../../../../test/world.ts'
import { engineOf } from './engine-of.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'

let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld({ ROLES: 'api' })
})
afterAll(() => world.close())

type Updates = { updates: number; hot: number }

const jobs = 1000

test('of a thousand jobs in a row hardly an update is anything but hot', async () => {
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
  const row = await eventually('the statistics have arrived', async () => {
    const [seen] = await world.query<Updates>(
      `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot
       from pg_stat_user_tables where schemaname = 'jobs' and relname = 'jobs'`,
    )
    return seen && seen.updates >= jobs * 1.9 && seen
  })
  expect(row.hot / row.updates).toBeGreaterThanOrEqual(0.95)
})
