/** Who may start: exact caps, a pause that holds from its answer on, and a share for small tenants. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { pauseType, resumeType } from '../../types/pause-type.ts'
import type { Lease } from '../claims/claim-jobs.ts'
import { engineOf, type Outside } from './engine-of.ts'
import { openEngineWorld, type EngineWorld } from './engine-world.ts'
import { gate } from './toils.ts'

let world: EngineWorld
let engines: Outside[]
beforeAll(async () => {
  world = await openEngineWorld({ ROLES: 'api', KERNEL_DATABASE_POOL: '40' })
  engines = Array.from({ length: 4 }, () => engineOf(world.kernel))
})
afterAll(async () => {
  await world.check()
  await world.close()
})

/** Twenty workers claim and finish until `over`; answers what each was given. */
async function hammer(
  type: string,
  tenant_id: string | null,
  over: () => boolean,
): Promise<Lease[]> {
  const all: Lease[] = []
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const by = engines[n % engines.length] as Outside
      while (!over()) {
        const types = by.rules(type)
        const asked = { worker_id: newId(), claim_id: newId(), types, tenant_id, max_jobs: 2 }
        const leases = await by.engine.claim(asked)
        all.push(...leases)
        for (const { attempt_id, lease_token, version } of leases) {
          const ending = { outcome: 'succeeded' } as const
          await by.engine.finalize({ attempt_id, lease_token, version, ending })
        }
      }
    }),
  )
  return all
}

test('of a type with a cap of three, twenty claimers never run four of a tenant', async () => {
  const tenants = [newId(), newId()]
  for (const tenant_id of tenants) await world.submitMany(150, { type: 'toil.capped', tenant_id })
  let done = 0
  const samples: number[] = []
  const sampling = (async () => {
    while (done < 300) {
      const [row] = await world.query<{ most: number; done: number }>(
        `select coalesce(max(n), 0)::int as most, (select count(*)::int from jobs.jobs
           where tenant_id = any ($1) and state = 'succeeded') as done
         from (select count(*) as n from jobs.job_attempts
           where state = 'running' and type = 'toil.capped' group by tenant_id) c`,
        [tenants],
      )
      samples.push(row?.most ?? 0)
      done = row?.done ?? 0
    }
  })()
  await hammer('toil.capped', null, () => done >= 300)
  await sampling
  expect(Math.max(...samples)).toBeLessThanOrEqual(3)
  // The history in order: at each start, how many had begun and not ended.
  const [replay] = await world.query<{ most: number }>(
    `select max(n)::int as most from (
       select count(*) as n from jobs.job_attempts a
       join jobs.job_attempts b on b.tenant_id = a.tenant_id
         and b.started_at <= a.started_at and b.completed_at > a.started_at
       where a.tenant_id = any ($1) group by a.id) c`,
    [tenants],
  )
  expect(replay?.most).toBeLessThanOrEqual(3)
  expect(replay?.most).toBe(3)
})

test('after the answer to a pause nothing of the type starts, until it is resumed', async () => {
  const tenant_id = newId()
  await world.submitMany(1500, { type: 'toil.any', tenant_id })
  const { types } = engines[0] as Outside
  const deps = { types, kernel: world.kernel }
  const act = { principal: { id: newId(), tenant_id: newId() } }
  let over = false
  const work = hammer('toil.any', tenant_id, () => over)
  const started = async () => {
    const [row] = await world.query<{ n: number }>(
      'select count(*)::int as n from jobs.job_attempts where tenant_id = $1',
      [tenant_id],
    )
    return row?.n ?? 0
  }
  for (let round = 1; round <= 5; round++) {
    const before = await started()
    await eventually('work goes on', async () => (await started()) > before + 20)
    await pauseType(world.kernel.db, deps, 'toil.any', { reason: 'a test' }, act)
    const answered = await started()
    // The claimers go on hammering meanwhile.
    for (let look = 0; look < 30; look++) expect(await started()).toBe(answered)
    await world.kernel.db.tx(tx => resumeType(tx, deps, 'toil.any', act))
  }
  await eventually('all is done', async () => (await started()) === 1500)
  over = true
  expect(new Set((await work).map(one => one.job_id)).size).toBe(1500)
})

test('ten jobs of a small tenant are not held up by the flood of another', async () => {
  const [flood, small] = [newId(), newId()]
  for (let n = 0; n < 3; n++) {
    await world.submitMany(1000, { type: 'toil.any', tenant_id: flood, priority: 0 })
  }
  const ids = await world.submitMany(10, { type: 'toil.any', tenant_id: small, priority: 9 })
  let over = false
  const watching = eventually('the small tenant is done', async () => {
    const [row] = await world.query<{ n: number }>(
      `select count(*)::int as n from jobs.jobs where id = any ($1) and state = 'succeeded'`,
      [ids],
    )
    return row?.n === 10
  })
  const work = hammer('toil.any', null, () => over)
  await watching
  over = true
  await work
  // Of what was started by then, the flood had little more than its half.
  const [row] = await world.query<{ ahead: number }>(
    `select count(*)::int as ahead from jobs.job_attempts a
     where a.tenant_id = $1 and a.started_at < (
       select max(b.started_at) from jobs.job_attempts b where b.tenant_id = $2)`,
    [flood, small],
  )
  // Twenty claimers of two each may be under way at once.
  expect(row?.ahead).toBeLessThanOrEqual(2 * 10 + 40)
})

test('a runner claims many jobs at once, and one at a time while requests wait for its process', async () => {
  const claimsOf = async (busy: boolean) => {
    const name = newId()
    const hold = gate(name)
    const tenant_id = newId()
    await world.submitMany(4, { type: 'toil.any', tenant_id, parameters: { gate: name } })
    const stopping = new AbortController()
    const { engine } = engineOf({ ...world.kernel, busy: () => busy })
    const runner = engine.loops.find(one => one.name === 'jobs.runner')?.run(stopping.signal)
    await eventually('all jobs run', () => hold.arrived.length === 4)
    const [row] = await world.query<{ claims: number }>(
      `select count(distinct started_at)::int as claims from jobs.job_attempts where tenant_id = $1`,
      [tenant_id],
    )
    hold.open()
    await eventually('all jobs end', async () => {
      const [left] = await world.query<{ n: number }>(
        `select count(*)::int as n from jobs.jobs where tenant_id = $1 and state <> 'succeeded'`,
        [tenant_id],
      )
      return left?.n === 0
    })
    stopping.abort()
    await runner
    return row?.claims
  }
  expect(await claimsOf(false)).toBeLessThan(4)
  expect(await claimsOf(true)).toBe(4)
})
