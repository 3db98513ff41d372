/** Submitting jobs: what is answered, what is refused, and that one key makes one job. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newKey } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld({ JOBS_TENANT_WAITING: '150' })
afterAll(() => world.close())

const idle = await world.idleType()
const strict = await world.idleType({
  max_attempts: 3,
  parameters_schema: {
    type: 'object',
    properties: { rows: { type: 'integer', maximum: 10 }, name: { type: 'string' } },
    required: ['rows'],
  },
})
const in_an_hour = () => new Date(Date.now() + 3_600_000).toISOString()

describe.concurrent('submitting', () => {
  test('answers 202 with the job, where it is, and its tag', async () => {
    const who = await world.person()
    const key = newKey()
    const answer = await world.order(who, { type: idle, priority: 2 }, key)
    expect(answer.status).toBe(202)
    const job = answer.body
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${job.id}`)
    expect(job).toEqual({
      id: expect.any(String),
      tenant_id: who.tenant.id,
      type: idle,
      schema_version: 1,
      state: 'pending',
      status: 'queued',
      priority: 2,
      input_ref: null,
      result_ref: null,
      idempotency_key: key,
      scheduled_at: null,
      deadline_at: null,
      cancel_requested_at: null,
      created_at: expect.any(String),
      completed_at: null,
      version: 1,
      attempt_count: 0,
      max_attempts: 5,
      waiting_reason: 'no_capable_worker',
      next_attempt_at: null,
      progress: null,
      error: null,
      usage: null,
      depends_on: [],
      retry_of_job_id: null,
    })
    const shown = await world.call('GET', `/v1/jobs/${job.id}`, { token: who.token })
    expect(shown.body).toEqual(job)
    expect(shown.headers.get('etag')).toBe(answer.headers.get('etag'))
    expect(await world.history(job.id)).toEqual(['submitted'])
  })

  test.each([
    ['an unknown type', { type: 'no.such' }, 'unknown_job_type'],
    [
      'a version that is not there',
      { type: idle, schema_version: 7 },
      'unsupported_schema_version',
    ],
    ['a file without a file store', { type: idle, input_ref: newId() }, 'input_not_available'],
    [
      'a deadline in the past',
      { type: idle, deadline_at: '2001-01-01T00:00:00Z' },
      'deadline_in_past',
    ],
    [
      'a deadline before its time',
      { type: idle, scheduled_at: in_an_hour(), deadline_at: new Date(Date.now() + 60_000) },
      'deadline_in_past',
    ],
    [
      'a time in two years',
      { type: idle, scheduled_at: '2199-01-01T00:00:00Z' },
      'validation_failed',
    ],
    ['both inputs', { type: idle, parameters: {}, input_ref: newId() }, 'validation_failed'],
    [
      'more attempts than the type has',
      { type: strict, parameters: { rows: 1 }, max_attempts: 4 },
      'validation_failed',
    ],
    ['a wrong parameter', { type: strict, parameters: { rows: 11 } }, 'validation_failed'],
    ['a missing parameter', { type: strict }, 'validation_failed'],
    ['a priority of 10', { type: idle, priority: 10 }, 'validation_failed'],
    ['an unknown job', { type: idle, depends_on: [{ job_id: newId() }] }, 'dependency_unknown'],
  ])('%s is refused with 422', async (_what, body, code) => {
    const { status, body: said } = await world.order(await world.person(), body)
    expect([status, said.code]).toEqual([422, code])
  })

  test('the place of a wrong parameter is named, never its value', async () => {
    const { body } = await world.order(await world.person(), {
      type: strict,
      parameters: { rows: 'secret-value' },
    })
    expect(body.errors).toMatchObject([
      { location: 'body', pointer: '/parameters/rows', constraint: 'type' },
    ])
    expect(body.detail).toContain('`parameters/rows` must be a whole number.')
    expect(JSON.stringify(body)).not.toContain('secret-value')
  })

  test('a key is needed, and the permission for this very type', async () => {
    const who = await world.person([`jobs.jobs.submit:${strict}`])
    const keyless = await world.call('POST', '/v1/jobs', {
      token: who.token,
      body: { type: strict },
    })
    expect([keyless.status, keyless.body.code]).toEqual([400, 'idempotency_key_missing'])
    const other = await world.order(who, { type: idle })
    expect([other.status, other.body.code]).toEqual([403, 'permission_denied'])
    expect((await world.order(who, { type: strict, parameters: { rows: 1 } })).status).toBe(202)
  })

  test('no more wait than the quota of the tenant', async () => {
    const who = await world.person()
    const batch = { jobs: Array.from({ length: 75 }, (_, n) => ({ ref: `r${n}`, type: idle })) }
    const send = () =>
      world.call('POST', '/v1/job-batches', { token: who.token, key: newKey(), body: batch })
    expect([(await send()).status, (await send()).status]).toEqual([202, 202])
    const refused = await world.order(who, { type: idle })
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded'])
    const [one] = await world.query<{ job_id: string }>(
      'select job_id from jobs.job_queue where tenant_id = $1 limit 1',
      [who.tenant.id],
    )
    await world.call('POST', `/v1/jobs/${one?.job_id}/cancel`, { token: who.token })
    expect((await world.order(who, { type: idle })).status).toBe(202)
  })

  test('a delayed job waits for its time, a ready one for a worker', async () => {
    const who = await world.person()
    const scheduled_at = in_an_hour()
    const { body } = await world.order(who, { type: idle, scheduled_at })
    expect(body).toMatchObject({ waiting_reason: 'schedule', scheduled_at })
    expect(body.next_attempt_at).toBe(scheduled_at)
    const past = await world.order(who, { type: idle, scheduled_at: '2020-01-01T00:00:00.000Z' })
    expect(past.body).toMatchObject({ waiting_reason: 'no_capable_worker', next_attempt_at: null })
  })
})

describe.concurrent('one key', () => {
  test('100 times in parallel makes one job, and every answer is the same', async () => {
    const who = await world.person()
    const key = newKey()
    const body = { type: idle, parameters: { a: 1 } }
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        for (;;) {
          const answer = await world.order(who, body, key)
          if (answer.status !== 409) return answer
          expect(answer.body.code).toBe('idempotency_in_progress')
        }
      }),
    )
    expect(new Set(answers.map(one => one.text)).size).toBe(1)
    expect(answers[0]?.status).toBe(202)
    const rows = await world.query('select id from jobs.jobs where tenant_id = $1', [who.tenant.id])
    expect(rows).toHaveLength(1)
    const other = await world.order(who, { type: idle, parameters: { a: 2 } }, key)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
  })

  test('makes no second job after its recorded outcome was pruned', async () => {
    const who = await world.person()
    const key = newKey()
    const body = { type: idle, parameters: { a: 1 }, priority: 3 }
    const first = await world.order(who, body, key)
    await prune(who.id)
    const again = await world.order(who, { priority: 3, parameters: { a: 1 }, type: idle }, key)
    expect([again.status, again.body.id]).toEqual([202, first.body.id])
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    await prune(who.id)
    const other = await world.order(who, { ...body, priority: 4 }, key)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
  })

  test('is independent between operations and between people', async () => {
    const [one, other] = [await world.person(), await world.person()]
    const key = newKey()
    const jobs = [
      await world.order(one, { type: idle }, key),
      await world.order(other, { type: idle }, key),
      await world.call('POST', '/v1/job-batches', {
        token: one.token,
        key,
        body: { jobs: [{ ref: 'a', type: idle }] },
      }),
    ]
    expect(jobs.map(job => job.status)).toEqual([202, 202, 202])
    const ids = [jobs[0]?.body.id, jobs[1]?.body.id, jobs[2]?.body.jobs.a.id]
    expect(new Set(ids).size).toBe(3)
  })

  const prune = (principal_id: string) =>
    world.query('delete from kernel.idempotency_records where principal_id = $1', [principal_id])
})

describe.concurrent('a batch', () => {
  test('places jobs that wait for each other, in any order, in one commit', async () => {
    const who = await world.person()
    const key = newKey()
    const body = {
      jobs: [
        { ref: 'last', type: idle, depends_on_refs: [{ ref: 'left' }, { ref: 'right' }] },
        { ref: 'left', type: idle, depends_on_refs: [{ ref: 'first' }] },
        {
          ref: 'right',
          type: idle,
          depends_on_refs: [{ ref: 'first', required_state: 'terminal' }],
        },
        { ref: 'first', type: idle },
      ],
    }
    const send = () => world.call('POST', '/v1/job-batches', { token: who.token, key, body })
    const answer = await send()
    expect(answer.status).toBe(202)
    const { jobs } = answer.body
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${jobs.last.id}`)
    expect(jobs.first.waiting_reason).toBe('no_capable_worker')
    expect(jobs.last.waiting_reason).toBe('dependencies')
    expect(jobs.right.depends_on).toEqual([
      { job_id: jobs.first.id, required_state: 'terminal', satisfied: false },
    ])
    expect((await send()).text).toBe(answer.text)
    await world.query('delete from kernel.idempotency_records where principal_id = $1', [who.id])
    expect((await send()).body.jobs.left.id).toBe(jobs.left.id)
    const rows = await world.query('select id from jobs.jobs where tenant_id = $1', [who.tenant.id])
    expect(rows).toHaveLength(4)
  })

  test.each([
    [
      'a circle',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      'dependency_cycle',
    ],
    ['a ref to itself', [['a', 'a']], 'dependency_cycle'],
    ['an unknown ref', [['a', 'c']], 'dependency_unknown'],
  ])('with %s is refused as a whole', async (_what, edges, code) => {
    const who = await world.person()
    const jobs = edges.map(([ref, parent]) => ({
      ref,
      type: idle,
      depends_on_refs: [{ ref: parent }],
    }))
    const body = { jobs: [{ ref: 'fine', type: idle }, ...jobs] }
    const answer = await world.call('POST', '/v1/job-batches', {
      token: who.token,
      key: newKey(),
      body,
    })
    expect([answer.status, answer.body.code]).toEqual([422, code])
    const rows = await world.query('select id from jobs.jobs where tenant_id = $1', [who.tenant.id])
    expect(rows).toEqual([])
  })

  test('is refused as a whole for one type that is not allowed or one wrong parameter', async () => {
    const who = await world.person([`jobs.jobs.submit:${idle}`])
    const send = (...types: string[]) =>
      world.call('POST', '/v1/job-batches', {
        token: who.token,
        key: newKey(),
        body: { jobs: types.map((type, n) => ({ ref: `r${n}`, type })) },
      })
    expect((await send(idle, strict)).status).toBe(403)
    const both = await world.person()
    const wrong = await world.call('POST', '/v1/job-batches', {
      token: both.token,
      key: newKey(),
      body: {
        jobs: [
          { ref: 'a', type: idle },
          { ref: 'b', type: strict },
        ],
      },
    })
    expect(wrong.body.errors[0].pointer).toBe('/jobs/1/parameters/rows')
    const rows = await world.query('select id from jobs.jobs where tenant_id = any($1)', [
      [who.tenant.id, both.tenant.id],
    ])
    expect(rows).toEqual([])
  })
})
