/** Schedules over HTTP, and the jobs that they make in time. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { eventually, type Ask } from '../../../../../test/world.ts'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workman } from '../../test/worker.ts'

const world = await openAskingWorld({
  JOBS_SCHEDULES_PER_TENANT: '3',
  // The tests below move the platform's time by months.
  IDENTITY_ACCESS_TTL_SECONDS: '3600',
})
afterAll(async () => {
  await world.check()
  await world.close()
})

const idle = await world.idleType()
const strict = await world.idleType({
  parameters_schema: {
    type: 'object',
    required: ['rows'],
    properties: { rows: { type: 'integer' } },
  },
})

type Who = { readonly token: string }
const daily = { type: idle, cron: '30 2 * * *', timezone: 'Europe/Berlin' }

const at = (name: string) => `/v1/job-schedules/${name}`
const put = ({ token }: Who, name: string, body: object, more: Ask = {}) =>
  world.call('PUT', at(name), { token, body, ...more })
const show = ({ token }: Who, name: string) => world.call('GET', at(name), { token })
const code = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]

describe.concurrent('a schedule', () => {
  test('is made, shown, replaced and removed by its name', async () => {
    const who = await workman(world)
    const made = await put(who, 'nightly', daily)
    expect([made.status, made.headers.get('location')]).toEqual([201, at('nightly')])
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'nightly',
      type: idle,
      schema_version: 1,
      parameters: {},
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
      enabled: true,
      catch_up: 'latest',
      overlap: 'allow',
      priority: 5,
      next_run_at: expect.stringMatching(/T0[01]:30:00\.000Z$/),
      last_run_at: null,
      last_job_id: null,
      last_error_code: null,
      paused_reason: null,
      paused_at: null,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const shown = await show(who, 'nightly')
    expect([shown.body, shown.headers.get('etag')]).toEqual([made.body, made.headers.get('etag')])
    const off = await put(who, 'nightly', {
      ...daily,
      enabled: false,
      catch_up: 'all',
      priority: 1,
    })
    expect([off.status, off.body.id]).toEqual([200, made.body.id])
    expect(off.body).toMatchObject({ version: 2, enabled: false, next_run_at: null, priority: 1 })
    const gone = () => world.call('DELETE', at('nightly'), { token: who.token })
    expect([(await gone()).status, (await gone()).status]).toEqual([204, 204])
    expect(code(await show(who, 'nightly'))).toEqual([404, 'job_schedule_not_found'])
  })

  test('is only created, or only replaced, if the precondition says so', async () => {
    const who = await workman(world)
    const asked = async (name: string, headers: Record<string, string>) => {
      const { status, headers: received } = await put(who, name, daily, { headers })
      return [status, received.get('etag')?.slice(0, 2) ?? null]
    }
    expect(await asked('once', { 'if-match': '*' })).toEqual([412, null])
    expect(await asked('once', { 'if-match': '"1"' })).toEqual([412, null])
    expect(await asked('once', { 'if-none-match': '*' })).toEqual([201, '"1'])
    expect(await asked('once', { 'if-none-match': '*' })).toEqual([412, '"1'])
    expect(await asked('once', { 'if-match': '*' })).toEqual([200, '"2'])
  })

  test('has a name that can be one', async () => {
    const who = await workman(world)
    const { status, body } = await put(who, 'Nightly%20run', daily)
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(body.errors).toMatchObject([
      { location: 'path', pointer: '/name', constraint: 'pattern', message: body.detail },
    ])
    expect(body.detail).toMatch(/^`name` must match \^/)
    expect(code(await show(who, 'Nightly%20run'))).toEqual([404, 'job_schedule_not_found'])
  })

  test('keeps its parameters as they were written', async () => {
    const who = await workman(world)
    const parameters = { z: 1, a: { ä: [1.5, null, '🦩'] } }
    const { body } = await put(who, 'kept', { ...daily, parameters })
    expect(JSON.stringify(body.parameters)).toBe(JSON.stringify(parameters))
  })

  test.each([
    ['a bad expression', { cron: '61 * * * *' }, 'schedule_invalid', '/cron'],
    ['six fields', { cron: '* * * * * *' }, 'schedule_invalid', '/cron'],
    ['a day that never comes', { cron: '0 0 30 2 *' }, 'schedule_invalid', '/cron'],
    [
      'a bad expression of a schedule that is off',
      { cron: 'never', enabled: false },
      'schedule_invalid',
      '/cron',
    ],
    ['no zone', { timezone: 'Mars/Olympus' }, 'schedule_invalid', '/timezone'],
    ['wrong parameters', { type: strict }, 'validation_failed', '/parameters/rows'],
    ['a type that is not there', { type: 'no.such' }, 'unknown_job_type', undefined],
    ['a version that is not there', { schema_version: 9 }, 'unsupported_schema_version', undefined],
  ])('%s is refused, and its place is named', async (_what, wrong, refusal, pointer) => {
    const { status, body } = await put(await workman(world), 'wrong', { ...daily, ...wrong })
    expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([422, refusal, pointer])
  })

  test('is counted for its tenant, exactly, however many are made at once', async () => {
    const who = await workman(world)
    const names = Array.from({ length: 8 }, () => `s-${newId()}`)
    const answers = await Promise.all(names.map(name => put(who, name, daily)))
    expect(answers.filter(one => one.status === 201)).toHaveLength(3)
    expect(answers.filter(one => one.body.code === 'quota_exceeded')).toHaveLength(5)
    const listed = await world.call('GET', '/v1/job-schedules?limit=2', { token: who.token })
    const rest = await world.call(
      'GET',
      `/v1/job-schedules?limit=2&cursor=${listed.body.next_cursor}`,
      {
        token: who.token,
      },
    )
    const seen = [...listed.body.data, ...rest.body.data].map(one => one.name)
    expect(seen).toEqual(names.filter((_, n) => answers[n]?.status === 201).toSorted())
  })

  test('is for those who may schedule its type, in their tenant', async () => {
    const who = await workman(world)
    await put(who, 'mine', daily)
    const stranger = await workman(world)
    expect(code(await show(stranger, 'mine'))).toEqual([404, 'job_schedule_not_found'])
    await world.call('DELETE', at('mine'), { token: stranger.token })
    const colleague = await world.person([`jobs.schedules.write:${strict}`], who.tenant)
    expect(code(await show(colleague, 'mine'))).toEqual([404, 'job_schedule_not_found'])
    expect(code(await put(colleague, 'mine', daily))).toEqual([403, 'permission_denied'])
    const over = { ...daily, type: strict, parameters: { rows: 1 } }
    expect(code(await put(colleague, 'mine', over))).toEqual([403, 'permission_denied'])
    await world.call('DELETE', at('mine'), { token: colleague.token })
    const listed = await world.call('GET', '/v1/job-schedules', { token: colleague.token })
    expect(listed.body.data).toEqual([])
    expect((await show(who, 'mine')).body.version).toBe(1)
  })

  test('of two who replace one version, one gets 412', async () => {
    const who = await workman(world)
    const made = await put(who, 'raced', daily)
    const headers = { 'if-match': made.headers.get('etag') ?? '' }
    const answers = await Promise.all(
      ['0 1 * * *', '0 2 * * *'].map(cron => put(who, 'raced', { ...daily, cron }, { headers })),
    )
    expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([200, 412])
  })
})

// From here on the platform's time is moved, so the tests come one by one.
describe('in time', () => {
  const moveTo = (offset_seconds: number) =>
    world.call('POST', '/dev/clock', { body: { offset_seconds } })
  afterEach(() => moveTo(0))

  const offsetTo = (instant: string) => Math.round((Date.parse(instant) - Date.now()) / 1000)
  const jobsOf = (who: { tenant: { id: string } }) =>
    world.query<{ id: string; scheduled_at: Date; idempotency_key: string }>(
      `select id, scheduled_at, idempotency_key from jobs.jobs
       where tenant_id = $1 and operation = 'schedule' order by scheduled_at`,
      [who.tenant.id],
    )
  const settled = (who: { tenant: { id: string } }) =>
    eventually('nothing is due', async () => {
      const [row] = await world.query<{ due: boolean }>(
        `select count(*) > 0 as due from jobs.job_schedules
         where tenant_id = $1 and enabled and next_run_at <= kernel.now()`,
        [who.tenant.id],
      )
      return row?.due === false
    })

  test('makes one job an instant, whatever the clock of the process shows', async () => {
    const who = await workman(world)
    const { body: made } = await put(who, 'nightly', daily)
    const next = Date.parse(made.next_run_at)
    // Only this process believes that the time has come: the database's time decides.
    world.kernel.clock.setOffset(offsetTo(made.next_run_at) + 3600)
    await put(who, 'later', { ...daily, cron: '30 3 * * *' })
    expect(await jobsOf(who)).toEqual([])
    await moveTo(offsetTo(made.next_run_at) + 5)
    await settled(who)
    const jobs = await jobsOf(who)
    expect(jobs.map(one => [one.scheduled_at.getTime(), one.idempotency_key])).toEqual([
      [next, `schedule:${made.id}:${made.next_run_at}`],
    ])
    const [row] = await world.query<{ last_job_id: string; last_run_at: Date; next_run_at: Date }>(
      `select last_job_id, last_run_at, next_run_at from jobs.job_schedules where id = $1`,
      [made.id],
    )
    expect([row?.last_job_id, row?.last_run_at.getTime()]).toEqual([jobs[0]?.id, next])
    expect((row?.next_run_at.getTime() ?? 0) - next).toBeGreaterThan(22 * 3_600_000)
  })

  test.each([
    ['skip', 0],
    ['latest', 1],
    ['all', 48],
  ])('two days away with %s: %i jobs', async (catch_up, count) => {
    const who = await workman(world)
    const { body: made } = await put(who, 'hourly', { type: idle, cron: '0 * * * *', catch_up })
    // Half an hour after the 48th, so that none of them is on time.
    await moveTo(offsetTo(made.next_run_at) + 47 * 3600 + 1800)
    await settled(who)
    const jobs = await jobsOf(who)
    expect(jobs).toHaveLength(count)
    expect(new Set(jobs.map(one => one.idempotency_key)).size).toBe(count)
  })

  test.each([
    ['skip', 0],
    ['latest', 1],
  ])('half a minute away with %s: %i jobs', async (catch_up, count) => {
    const who = await workman(world)
    const { body: made } = await put(who, 'hourly', { type: idle, cron: '0 * * * *', catch_up })
    await moveTo(offsetTo(made.next_run_at) + 30)
    await settled(who)
    expect(await jobsOf(who)).toHaveLength(count)
  })

  test('a run that meets the one before it is skipped if the schedule says so', async () => {
    const who = await workman(world)
    const { body: made } = await put(who, 'hourly', {
      type: idle,
      cron: '0 * * * *',
      overlap: 'skip',
    })
    for (const hours of [0, 1, 2]) {
      await moveTo(offsetTo(made.next_run_at) + hours * 3600 + 5)
      await settled(who)
    }
    const [first, ...others] = await jobsOf(who)
    expect(others).toEqual([])
    await moveTo(0)
    await world.call('POST', `/v1/jobs/${first?.id}/cancel`, { token: who.token })
    await moveTo(offsetTo(made.next_run_at) + 3 * 3600 + 5)
    await settled(who)
    expect(await jobsOf(who)).toHaveLength(2)
  })

  test('a refusal is shown on the schedule, and delays no other', async () => {
    const who = await workman(world)
    const { body: broken } = await put(who, 'a-broken', {
      ...daily,
      type: strict,
      parameters: { rows: 1 },
    })
    await put(who, 'b-fine', daily)
    await world.query(`update jobs.job_schedules set parameters = '{}' where id = $1`, [broken.id])
    await moveTo(offsetTo(broken.next_run_at) + 5)
    await settled(who)
    expect(await jobsOf(who)).toHaveLength(1)
    await moveTo(0)
    const { body } = await show(who, 'a-broken')
    expect([body.last_error_code, body.last_job_id]).toEqual(['validation_failed', null])
    expect(Date.parse(body.next_run_at)).toBeGreaterThan(Date.parse(broken.next_run_at))
  })

  test('a schedule that is switched off owes nothing when it is switched on again', async () => {
    const who = await workman(world)
    // Minutes, so that the caller's token is good also when the clock has been moved.
    const often = { type: idle, cron: '*/5 * * * *', catch_up: 'all' }
    const { body: made } = await put(who, 'often', often)
    await put(who, 'often', { ...often, enabled: false })
    await moveTo(offsetTo(made.next_run_at) + 150)
    await settled(who)
    const { body: on } = await put(who, 'often', often)
    expect(Date.parse(on.next_run_at)).toBe(Date.parse(made.next_run_at) + 300_000)
    expect(await jobsOf(who)).toEqual([])
  })
})
