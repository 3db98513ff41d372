/** Jobs with more dependents than one transaction settles, and long chains of jobs. */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const idle = await world.idleType()

/**
 * Inserts children as `POST /v1/jobs` would. Each waits for the parent, or for the child before it.
 * Every second one of them waits for any end.
 */
async function insert(who: Member, parent: string, many: number, chained: boolean): Promise<void> {
  await world.query(
    `with child as materialized (
       select n, (left(kernel.first_id_of(kernel.now() + n * interval '1 ms')::text, 13) || '-7'
         || substr(random, 1, 3) || '-8' || substr(random, 4, 3) || '-' || substr(random, 7, 12)
         )::uuid as id
       from generate_series(1, $3::int) n, md5(n::text || $6::text) random
     ),
     made as (
       insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation,
         max_attempts, has_dependents)
       select id, $1::uuid, $4::text, 1, $2::uuid, 'test', 1, $5::boolean from child
     ),
     queued as (
       insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank, wake_at)
       select $1::uuid, id, $4::text, 1, 5, 'infinity' from child
     ),
     noted as (
       insert into jobs.job_events (job_id, sequence, tenant_id, type)
       select id, 1, $1::uuid, 'submitted' from child
     ),
     waiting as (
       insert into jobs.job_dependencies (job_id, depends_on_job_id, tenant_id, required_state)
       select id, case when $5 then coalesce(lag(id) over (order by n), $6::uuid) else $6::uuid end,
         $1::uuid, case when $5 or n % 2 = 0 then 'succeeded' else 'terminal' end
       from child
     )
     update jobs.jobs set has_dependents = true where id = $6::uuid`,
    [who.tenant.id, who.id, many, idle, chained, parent],
  )
}

type Sums = {
  blocked: number
  pending: number
  failed: number
  same_cause: number
  commits: number
}

async function sumsOf(who: Member, parent: string): Promise<Sums> {
  const [sums] = await world.query<Sums>(
    `select count(*) filter (where q.wake_at = 'infinity')::int as blocked,
       count(*) filter (where j.state = 'pending')::int as pending,
       count(*) filter (where j.state = 'failed')::int as failed,
       count(*) filter (where j.cause_job_id = $2)::int as same_cause,
       count(distinct j.xmin::text)::int as commits
     from jobs.jobs j left join jobs.job_queue q on q.job_id = j.id
     where j.tenant_id = $1 and j.id <> $2`,
    [who.tenant.id, parent],
  )
  if (!sums) throw new Error('no sums')
  return sums
}

async function settled(who: Member, parent: string): Promise<Sums> {
  const { status } = await world.call('POST', `/v1/jobs/${parent}/cancel`, { token: who.token })
  expect(status).toBe(200)
  return await eventually('no job waits for it any more', async () => {
    const sums = await sumsOf(who, parent)
    return sums.blocked === 0 && sums
  })
}

test('thousands of jobs that wait for one are settled in portions', async () => {
  const who = await world.person()
  const parent = await world.submit(who, { type: idle })
  await insert(who, parent, 2500, false)
  const { commits, ...sums } = await settled(who, parent)
  expect(sums).toEqual({ blocked: 0, pending: 1250, failed: 1250, same_cause: 1250 })
  expect(commits).toBeGreaterThan(1)
})

test('a long chain fails in portions, each job with the first one as its cause', async () => {
  const who = await world.person()
  const parent = await world.submit(who, { type: idle })
  await insert(who, parent, 200, true)
  const { commits, ...sums } = await settled(who, parent)
  expect(sums).toEqual({ blocked: 0, pending: 0, failed: 200, same_cause: 200 })
  expect(commits).toBeGreaterThan(1)
})
