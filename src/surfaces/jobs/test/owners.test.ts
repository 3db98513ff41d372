/**
 * Schedules and waiting jobs act only while their owner has the permission: checked at each run,
 * however it was lost.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Member, Tenant } from '../../../../test/product-world.ts'
import { beginNarrow, rescope } from '../../../../test/narrow.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'
import { workerOf } from './worker.ts'

const world = await openAskingWorld({})
afterEach(() => world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } }))
afterAll(async () => {
  await world.check()
  await world.close()
})

const idle = await world.idleType()
const platform = await world.person(['identity.tenants.manage'])

type Owner = {
  readonly owner: Member
  readonly admin: Member
  readonly tenant: Tenant
  /** The credential that ordered the work. */
  readonly token: string
  readonly key_id: string | null
}

async function admin(tenant?: Tenant): Promise<Member> {
  const member = await world.person(undefined, tenant)
  await world.give(member, 'tenant_admin')
  return member
}

/** A member whose rights come from one role only, and a colleague who stays. */
async function ownerOf(by: 'person' | 'key' | 'client'): Promise<Owner> {
  const colleague = await admin()
  const owner = await world.person([], colleague.tenant)
  await world.give(owner, 'tenant_admin')
  const common = { owner, admin: colleague, tenant: colleague.tenant }
  if (by === 'person') return { ...common, token: owner.token, key_id: null }
  if (by === 'client') {
    const scope = ['jobs.schedules.write:*', 'jobs.jobs.submit:*', 'jobs.read']
    const { token } = await beginNarrow(world.platform, owner, { scope, client_id: 'app' }, 'aal2')
    return { ...common, token, key_id: null }
  }
  const permissions = ['jobs.schedules.write:*', 'jobs.jobs.submit:*']
  const body = { name: 'scheduler', permissions }
  const made = await world.call('POST', '/v1/api-keys', { token: owner.token, body })
  expect(made.status).toBe(201)
  return { ...common, token: made.body.key, key_id: made.body.id }
}

/** The client's session, by its own token. */
async function endOwn(token: string): Promise<number> {
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return (await world.call('DELETE', `/v1/sessions/${sid}`, { token })).status
}

async function narrowDown({ owner }: Owner): Promise<number> {
  await rescope(world.platform, owner.id, 'jobs.read')
  return 200
}

const ways: readonly (readonly [
  string,
  'person' | 'key' | 'client',
  (one: Owner) => Promise<number>,
])[] = [
  [
    'role taken away',
    'person',
    async ({ admin: { token }, owner }) =>
      (await world.call('DELETE', `/v1/accounts/${owner.id}/roles/tenant_admin`, { token })).status,
  ],
  [
    'account disabled',
    'person',
    async ({ admin: { token }, owner }) =>
      (
        await world.call('PATCH', `/v1/accounts/${owner.id}`, {
          token,
          body: { status: 'disabled' },
        })
      ).status,
  ],
  [
    'key revoked',
    'key',
    async ({ owner: { token }, key_id }) =>
      (await world.call('DELETE', `/v1/api-keys/${key_id}`, { token })).status,
  ],
  [
    'person behind the key disabled',
    'key',
    async ({ admin: { token }, owner }) =>
      (
        await world.call('PATCH', `/v1/accounts/${owner.id}`, {
          token,
          body: { status: 'disabled' },
        })
      ).status,
  ],
  ['session of the client ended', 'client', async ({ token }) => await endOwn(token)],
  ['scope without the right', 'client', async one => await narrowDown(one)],
  [
    'tenant closed',
    'person',
    async ({ tenant }) =>
      (
        await world.call('PATCH', `/v1/tenants/${tenant.id}`, {
          token: platform.token,
          body: { state: 'disabled' },
        })
      ).status,
  ],
]

const jobsOf = (tenant: Tenant) =>
  world.query<{ id: string; error_code: string | null }>(
    `select id, error_code from jobs.jobs where tenant_id = $1 order by id`,
    [tenant.id],
  )

test.concurrent.each(ways)('a job that waited does not start once: %s', async (_way, by, lose) => {
  const type = await world.idleType()
  const one = await ownerOf(by)
  const order = (body: object) =>
    world.call('POST', '/v1/jobs', { token: one.token, key: newKey(), body: { type, ...body } })
  const parent = await order({})
  const child = await order({
    depends_on: [{ job_id: parent.body.id, required_state: 'terminal' }],
  })
  const later = await order({ scheduled_at: new Date(Date.now() + 1500).toISOString() })
  expect([parent.status, child.status, later.status]).toEqual([202, 202, 202])
  expect(await lose(one)).toBeLessThan(300)
  // What a process has asked before is good for half a second: this one has not asked yet.
  const runner = await world.person(['jobs.workers.claim_any:*'])
  const worker = workerOf(world, runner)
  expect((await worker.register(type)).status).toBe(200)
  const ids = [parent, child, later].map(({ body }) => body.id as string)
  const failed = await eventually('all three have failed', async () => {
    const { body } = await worker.claim({ max_jobs: 10, wait_seconds: 1 })
    expect(body.jobs).toEqual([])
    const rows = await world.query<{ state: string; error_code: string | null }>(
      'select state, error_code from jobs.jobs where id = any ($1)',
      [ids],
    )
    return rows.every(row => row.state === 'failed') && rows
  })
  expect(failed.map(row => row.error_code)).toEqual(ids.map(() => 'owner_revoked'))
})

test.concurrent(
  'a retry is an attempt, too, and the platform asks for its own workers as well',
  async () => {
    const type = await world.idleType({ backoff: { base_ms: 1, cap_ms: 1 } })
    const one = await ownerOf('person')
    const order = async (body: object) => {
      const { token } = one
      const made = await world.call('POST', '/v1/jobs', { token, key: newKey(), body })
      expect(made.status).toBe(202)
      return made.body.id as string
    }
    const retried = await order({ type })
    const own = await order({
      type: 'toil.any',
      scheduled_at: new Date(Date.now() + 6000).toISOString(),
    })
    const worker = workerOf(world, await world.person(['jobs.workers.claim_any:*']))
    await worker.register(type)
    const taken = await worker.take()
    const [, , lose] = ways[0] as (typeof ways)[number]
    expect(await lose(one)).toBeLessThan(300)
    // Due after a second: what the process has asked before is good for half a second.
    const error = { code: 'try_again', retryable: true, retry_after_seconds: 1 }
    await worker.finish(taken, { outcome: 'failed', error })
    await eventually('neither has run', async () => {
      const { body } = await worker.claim({ wait_seconds: 1 })
      expect(body.jobs).toEqual([])
      const rows = await world.query<{ error_code: string | null }>(
        `select error_code from jobs.jobs where id = any ($1) and state = 'failed'`,
        [[retried, own]],
      )
      return rows.length === 2 && rows.every(row => row.error_code === 'owner_revoked')
    })
  },
)

test('a schedule pauses with a reason and an event when its owner may not schedule any more', async () => {
  const put = (token: string) =>
    world.call('PUT', '/v1/job-schedules/nightly', {
      token,
      body: { type: idle, cron: '30 2 * * *' },
    })
  const owners = await Promise.all([...ways.map(([, by]) => ownerOf(by)), ownerOf('key')])
  const schedules = await Promise.all(owners.map(async one => (await put(one.token)).body))
  for (const [n, [, , lose]] of ways.entries()) {
    expect(await lose(owners[n] as Owner)).toBeLessThan(300)
  }
  const due = Math.max(...schedules.map(one => Date.parse(one.next_run_at)))
  const offset_seconds = Math.ceil((due - Date.now()) / 1000) + 5
  await world.call('POST', '/dev/clock', { body: { offset_seconds } })
  const kept = owners.at(-1) as Owner
  const [ran] = await eventually('the one whose owner stays has run', async () => {
    const jobs = await jobsOf(kept.tenant)
    return jobs.length > 0 && jobs
  })
  expect(ran?.error_code).toBeNull()
  for (const [n, [way]] of ways.entries()) {
    const { id } = schedules[n] as { id: string }
    const row = await eventually(`${way}: it is paused`, async () => {
      const [found] = await world.query<{ enabled: boolean; paused_reason: string }>(
        `select enabled, paused_reason from jobs.job_schedules
         where id = $1 and paused_at is not null and next_run_at is null`,
        [id],
      )
      return found
    })
    expect([way, row]).toEqual([way, { enabled: false, paused_reason: 'owner_revoked' }])
    const said = await eventually(`${way}: it is announced`, async () => {
      const [event] = await world.query<{ payload: object }>(
        `select payload from kernel.events where aggregate_id = $1 and type = 'job_schedule.paused'`,
        [id],
      )
      return event
    })
    const payload = { schedule_id: id, name: 'nightly', type: idle, reason: 'owner_revoked' }
    expect(said.payload).toEqual(payload)
    expect(await jobsOf((owners[n] as Owner).tenant)).toEqual([])
  }
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  // Another person may take it over; from then on it acts for them.
  const [{ admin: colleague }] = owners as [Owner]
  const { token } = colleague
  const shown = await world.call('GET', '/v1/job-schedules/nightly', { token })
  expect(shown.body).toMatchObject({
    enabled: false,
    paused_reason: 'owner_revoked',
    paused_at: expect.any(String),
    next_run_at: null,
  })
  expect((await put(token)).body).toMatchObject({
    enabled: true,
    paused_reason: null,
    paused_at: null,
    next_run_at: expect.any(String),
  })
})

test('a job that is claimed while rights cannot be read begins a moment later', async () => {
  const owner = await world.person()
  const scheduled_at = new Date(Date.now() + 2000).toISOString()
  const id = await world.submit(owner, { type: 'toil.any', scheduled_at })
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  await client.query('begin; lock table identity.role_assignments in access exclusive mode')
  await eventually('it is claimed', async () => {
    const [row] = await world.query<{ state: string }>(
      'select state from jobs.jobs where id = $1',
      [id],
    )
    return row?.state === 'running'
  })
  // Longer than a statement waits for a lock.
  await setTimeout(3000)
  await client.end()
  expect(await world.reached(owner, id, 'succeeded')).toMatchObject({ attempt_count: 1 })
})
