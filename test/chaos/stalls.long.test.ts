/**
 * Workers stall: the lease of each job's first attempt expires before its end is presented, or
 * during the request. Another worker takes the job meanwhile. No end is ever accepted under an
 * expired lease, in any order, and every job ends once.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import type { Lease } from '../../src/surfaces/jobs/attempts/claims/claim-jobs.ts'
import { engineOf, type Outside } from '../../src/surfaces/jobs/attempts/test/engine-of.ts'
import {
  openEngineWorld,
  type EngineWorld,
} from '../../src/surfaces/jobs/attempts/test/engine-world.ts'

const stalls = inject('chaos') === 'full' ? 10_000 : 300
const workers = 20
const tenant_id = newId()

let world: EngineWorld
let outside: Outside
beforeAll(async () => {
  world = await openEngineWorld({ ROLES: 'api', KERNEL_DATABASE_POOL: '24' })
  outside = engineOf(world.kernel)
})
afterAll(() => world.close())

async function finish(
  { attempt_id, lease_token }: Pick<Lease, 'attempt_id' | 'lease_token'>,
  version: number,
): Promise<string> {
  const ending = { outcome: 'succeeded' } as const
  return (await outside.engine.finalize({ attempt_id, lease_token, version, ending })).said
}

const lapse = ({ attempt_id }: Lease) =>
  world.query(
    `update jobs.job_attempts set leased_until = now() where id = $1 and state = 'running'`,
    [attempt_id],
  )

test(`${stalls} stalls: no end is taken from a lease that has lapsed`, async () => {
  for (let left = stalls; left > 0; left -= 1000) {
    await world.submitMany(Math.min(left, 1000), { type: 'toil.any', tenant_id })
  }
  const types = outside.rules('toil.any')
  const stale: Lease[] = []
  const wrong: string[] = []
  let done = 0
  const stall = async (lease: Lease, racing: boolean) => {
    const lapsed = lapse(lease)
    if (!racing) await lapsed
    const [said] = await Promise.all([finish(lease, lease.version), lapsed])
    if (said === 'lease_lost') stale.push(lease)
    else if (said === 'done' && racing) done++
    else wrong.push(`${racing ? 'racing' : 'lapsed'}: ${said}`)
  }
  const work = async () => {
    while (done < stalls && wrong.length === 0) {
      const asked = { worker_id: newId(), claim_id: newId(), types, tenant_id, max_jobs: 10 }
      for (const [n, lease] of (await outside.engine.claim(asked)).entries()) {
        if (lease.attempt_no === 1) await stall(lease, n % 2 === 0)
        else if ((await finish(lease, lease.version)) === 'done') done++
        else wrong.push('a lease that holds')
      }
    }
  }
  const sweep = outside.engine.loops.find(one => one.name === 'jobs.sweep')
  const sweeping = async () => {
    while (done < stalls && wrong.length === 0) await sweep?.run(AbortSignal.timeout(60_000))
  }
  await Promise.all([sweeping(), ...Array.from({ length: workers }, work)])
  expect(wrong).toEqual([])
  expect(stale.length).toBeGreaterThanOrEqual(stalls / 2)
  // Once more, with the version that the job has now.
  const versions = new Map(
    (await world.query<{ id: string; version: number }>('select id, version from jobs.jobs')).map(
      row => [row.id, row.version],
    ),
  )
  const again = new Set<string>()
  for (const lease of stale) again.add(await finish(lease, versions.get(lease.job_id) ?? 0))
  expect(again).toEqual(new Set(['lease_lost']))
  const [row] = await world.query<{ jobs: number; once: number }>(
    `select count(*)::int as jobs, count(*) filter (where ends = 1)::int as once from (
       select (select count(*) from jobs.job_events e
         where e.job_id = j.id and e.type = 'succeeded') as ends
       from jobs.jobs j where j.tenant_id = $1) one`,
    [tenant_id],
  )
  expect(row).toEqual({ jobs: stalls, once: stalls })
  await world.check()
}, 600_000)
