/** Every process runs all schedules, and one that is killed at work leaves nothing behind or undone. */
import { afterAll, expect, test } from 'vitest'
import { killedAt } from '../../../../../test/crash.ts'
import { startProcess } from '../../../../../test/process.ts'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { Type } from 'typebox'

// This process only serves, so that others do the work.
const world = await openProductWorld({ ROLES: 'api' })
afterAll(() => world.close())
const { db } = world.platform.kernel

const working = { ...world.environment, ROLES: 'worker', PORT: '0' }
const Row = Type.Object({ due: Type.Integer(), jobs: Type.Integer(), kept: Type.Integer() })

async function schedules(count: number, catch_up: string): Promise<string> {
  // Whether the owner may still order the work is asked at each run.
  const owner = await world.member()
  await world.give(owner, 'tenant_admin')
  const tenant_id = owner.tenant.id
  await db.run(sql`
    -- any tenant: a new one
    insert into jobs.job_schedules (tenant_id, name, id, principal_id, type, schema_version,
      parameters, cron, timezone, catch_up, next_run_at)
    select ${tenant_id}::uuid, 's' || n, gen_random_uuid(), ${owner.id}::uuid, 'demo.count', 1,
      '{"to": 1}', '* * * * *', 'UTC', ${catch_up}, date_trunc('minute', now()) - interval '3 minutes'
    from generate_series(1, ${count}::int) n`)
  return tenant_id
}

const look = (tenant_id: string) =>
  db.one(
    Row,
    sql`
    select (select count(*)::int from jobs.job_schedules s
        where s.tenant_id = ${tenant_id} and s.next_run_at <= now() - interval '1 minute') as due,
      (select count(*)::int from jobs.jobs j where j.tenant_id = ${tenant_id}) as jobs,
      (select count(distinct j.idempotency_key)::int from jobs.jobs j
        where j.tenant_id = ${tenant_id}) as kept`,
  )

test('three processes make each missed run up once', async () => {
  const tenant_id = await schedules(40, 'all')
  const processes = await Promise.all([1, 2, 3].map(() => startProcess(working, 'product')))
  try {
    await eventually('nothing is due', async () => (await look(tenant_id)).due === 0)
    const { jobs, kept } = await look(tenant_id)
    expect(jobs).toBe(kept)
    // Three minutes ago and every one since; the minute may turn while they work.
    expect(jobs).toBeGreaterThanOrEqual(160)
    expect(jobs).toBeLessThanOrEqual(200)
  } finally {
    await Promise.all(processes.map(one => one.kill('SIGTERM')))
  }
})

test('one that is killed between its jobs and its commit has made none; the next makes all', async () => {
  const tenant_id = await schedules(1, 'all')
  const untouched = async () => await eventually('it died', () => true)
  await killedAt({ environment: working }, 'jobs.after_scheduled', untouched, 1, 'product')
  expect((await look(tenant_id)).jobs).toBe(0)
  const next = await startProcess(working, 'product')
  try {
    await eventually('nothing is due', async () => (await look(tenant_id)).due === 0)
    const { jobs, kept } = await look(tenant_id)
    expect([jobs, jobs >= 4]).toEqual([kept, true])
  } finally {
    await next.kill('SIGTERM')
  }
})
