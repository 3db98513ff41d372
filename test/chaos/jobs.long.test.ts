/**
 * Processes that run jobs are killed again and again while others submit, cancel and retry. Afterwards
 * every job is what its history says and where it belongs, ended as often as it was announced, and what
 * its handler wrote in the commit that ended it is there exactly once.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import {
  openEngineWorld,
  type EngineWorld,
} from '../../src/surfaces/jobs/attempts/test/engine-world.ts'
import { watchOver } from '../../src/surfaces/jobs/attempts/test/workers.ts'
import { eventually } from '../world.ts'

const full = inject('chaos') === 'full'
const kills = full ? 60 : 4
const tenants = Array.from({ length: 5 }, newId)

let world: EngineWorld
beforeAll(async () => {
  // This process submits and looks on: the work is done by those that are killed.
  world = await openEngineWorld({ ROLES: 'api', JOBS_LEASE_LOSSES: '100', JOBS_LEASE_SECONDS: '4' })
})
afterAll(() => world.close())

test(`${kills} SIGKILLs under load: each job ends once, its effect is there once`, async () => {
  const ids: string[] = []
  let stopping = false
  const submitting = (async () => {
    for (let n = 0; !stopping; n++) {
      const tenant_id = tenants[n % tenants.length] ?? ''
      const parameters = { wait_ms: n % 7, fails: n % 11 === 0 ? 1 : 0, commits: true }
      const type = n % 3 === 0 ? 'toil.capped' : 'toil.short'
      const made = await world.submitMany(5, { type, tenant_id, parameters })
      ids.push(...made)
      const [first = ''] = made
      if (n % 4 === 0) {
        await cancel(tenant_id, first)
      }
      await eventually('not too much waits', async () => (await waiting()) < 300)
    }
  })()
  const watched = [watchOver(world.environment), watchOver(world.environment)]
  for (let kill = 0; kill < kills; kill++) {
    const before = await ended()
    await eventually('jobs go on', async () => (await ended()) > before + 20)
    watched[kill % 2]?.current()?.child.kill('SIGKILL')
  }
  stopping = true
  await submitting
  await eventually('all are over', async () => (await waiting()) === 0)
  await Promise.all(watched.map(one => one.stop()))
  await world.check()
  const [row] = await world.query<{ wrong: number; jobs: number }>(
    `select count(*) filter (where (j.state = 'succeeded')::int <> e.effects)::int as wrong,
       count(*)::int as jobs
     from jobs.jobs j
     cross join lateral (
       select count(*)::int as effects from public.effects e where e.job_id = j.id) e`,
  )
  expect(row).toEqual({ wrong: 0, jobs: ids.length })
}, 1_200_000)

const cancel = (tenant_id: string, job_id: string) =>
  world.kernel.db.tx(tx => world.face.cancel(tx, { tenant_id, job_id }))

async function count(condition: string): Promise<number> {
  const [row] = await world.query<{ n: number }>(
    `select count(*)::int as n from jobs.jobs where ${condition}`,
  )
  return row?.n ?? 0
}

const ended = () => count('completed_at is not null')
const waiting = () => count('completed_at is null')
