/** What jobs keep of a person is handed out, and gone once the account is erased. */
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'
import { workshop } from './worker.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

const schedule = { type: 'toil.any', cron: '0 3 * * *', parameters: { result: 'by night' } }

test('jobs, schedules and rules of an account are exported, then erased, and those of others stay', async () => {
  const who = await world.person([
    'jobs.jobs.submit:*',
    'jobs.jobs.read:*',
    'jobs.schedules.write:*',
    'jobs.rules.write:*',
    'webhooks.events.read:*',
  ])
  const other = await world.person()
  const done = await world.submit(who, { type: 'toil.any', parameters: { result: 'mine' } })
  const waits = await world.submit(who, { type: await world.idleType(), parameters: { of: 'me' } })
  const theirs = await world.submit(other, { type: 'toil.any', parameters: { result: 'theirs' } })
  const path = '/v1/job-schedules/nightly'
  expect((await world.call('PUT', path, { token: who.token, body: schedule })).status).toBe(201)
  const rule = {
    event: 'account.verified',
    job: { type: 'toil.any', parameters: { result: 'at once' } },
  }
  const mine_too = '/v1/job-rules/at-once'
  expect((await world.call('PUT', mine_too, { token: who.token, body: rule })).status).toBe(201)
  const former = '/v1/job-schedules/former'
  expect((await world.call('PUT', former, { token: who.token, body: schedule })).status).toBe(201)
  expect((await world.call('DELETE', former, { token: who.token })).status).toBe(204)
  await world.reached(who, done, 'succeeded')
  await world.reached(other, theirs, 'succeeded')

  const exported = await world.call('GET', '/v1/me/export', { token: who.token })
  const lines = exported.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  const mine = lines.filter(({ surface }) => surface === 'jobs')
  expect(mine.map(({ kind }) => kind)).toEqual(['job_schedule', 'job_rule', 'job', 'job'])
  expect(mine.map(({ data }) => data?.id).slice(2)).toEqual([done, waits])
  expect(mine[1]?.data?.parameters).toEqual({ result: 'at once' })
  expect(mine[2]?.data?.parameters).toEqual({ result: 'mine' })

  const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
  expect(erased.status).toBe(204)
  const kept = (ids: readonly string[]) =>
    world.query<{ job_id: string }>(
      `select job_id from jobs.job_inputs
       where job_id = any($1) and json_typeof(parameters) <> 'null'
       union all select job_id from jobs.job_results where job_id = any($1)`,
      [ids],
    )
  await eventually('nothing is left of them', async () => {
    return (await kept([done, waits])).length === 0
  })
  expect(await kept([theirs])).toHaveLength(2)
  expect((await world.history(waits)).at(-1)).toBe('cancelled')
  const schedules = `select name from jobs.job_schedules where principal_id = $1
    union all select name from jobs.deleted_schedules where principal_id = $1
    union all select name from jobs.job_rules where principal_id = $1`
  expect(await world.query(schedules, [who.id])).toEqual([])
})

test('texts in the history and the progress of a job are erased with its submitter', async () => {
  const { type, worker, owner: admin } = await workshop(world)
  const who = await world.person(['jobs.jobs.submit:*', 'jobs.jobs.cancel:*'], admin.tenant)
  const idle = await world.idleType()
  const waiting = await world.submit(who, { type: idle })
  const open = await world.submit(who, { type: idle })
  const running = await world.submit(who, { type })
  const claimed = await worker.take()
  expect(claimed.job.id).toBe(running)
  const step = { stage: 'letter to Ada', current: 1, message_code: 'Ada is ill' }
  expect((await worker.progress(claimed, step)).status).toBe(200)
  const reason = 'because I am ill'
  for (const [id, status] of [
    [waiting, 200],
    [running, 202],
  ] as const) {
    const ask = { token: who.token, body: { reason } }
    expect((await world.call('POST', `/v1/jobs/${id}/cancel`, ask)).status).toBe(status)
  }
  const ended = await worker.finish({ ...claimed, version: 3 }, { outcome: 'cancelled' })
  expect(ended.body.progress).toMatchObject(step)

  const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
  expect(erased.status).toBe(204)
  const shown = async (id: string) => {
    const ask = { token: admin.token }
    const [job, events] = await Promise.all([
      world.call('GET', `/v1/jobs/${id}`, ask),
      world.call('GET', `/v1/jobs/${id}/events`, ask),
    ])
    return `${job.text} ${events.text}`
  }
  await eventually('their texts are gone', async () => {
    const texts = (await Promise.all([waiting, running].map(shown))).join(' ')
    return !/ill|Ada/.test(texts)
  })
  expect(await world.history(running)).toEqual([
    'submitted',
    'started',
    'cancel_requested',
    'cancelled',
  ])
  // The platform's own reason is not a text of the person.
  expect(await shown(open)).toContain('account_erased')
})

test('a job whose input was erased with its submitter is not retried without it', async () => {
  const who = await world.person(['jobs.jobs.submit:*'])
  const admin = await world.person(undefined, who.tenant)
  const strict = await world.idleType({
    parameters_schema: { type: 'object', required: ['to'], properties: { to: { type: 'string' } } },
  })
  const of = { strict, lenient: await world.idleType() }
  const jobs = {
    strict: await world.submit(who, { type: of.strict, parameters: { to: 'Ada' } }),
    lenient: await world.submit(who, { type: of.lenient, parameters: { to: 'Ada' } }),
    // It was given nothing, so nothing of it is missing.
    bare: await world.submit(who, { type: of.lenient }),
  }
  const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
  expect(erased.status).toBe(204)
  await eventually('their inputs are gone', async () => {
    const rows = await world.query<{ parameters: unknown }>(
      `select i.parameters from jobs.job_inputs i join jobs.jobs j on j.id = i.job_id
       where i.job_id = any($1) and (i.parameters::text like '%Ada%' or j.completed_at is null)`,
      [Object.values(jobs)],
    )
    return rows.length === 0
  })

  const retry = (id: string, mode: string) =>
    world.call('POST', `/v1/jobs/${id}/retry`, { token: admin.token, body: { mode } })
  for (const id of [jobs.strict, jobs.lenient]) {
    for (const mode of ['same_job', 'new_job']) {
      const { status, body } = await retry(id, mode)
      expect([mode, status, body.code]).toEqual([mode, 422, 'input_not_available'])
      expect(body.detail).toContain('Submit a new job')
    }
    expect((await world.show(admin, id)).body.state).toBe('cancelled')
  }
  expect((await retry(jobs.bare, 'new_job')).status).toBe(202)

  // As if they had failed: a redrive passes them over.
  await world.query(
    `update jobs.jobs set state = 'expired', error_code = 'deadline_exceeded',
       error_retryable = false where id = $1`,
    [jobs.lenient],
  )
  await world.query(
    `update jobs.job_events set type = 'expired' where job_id = $1 and type = 'cancelled'`,
    [jobs.lenient],
  )
  const redriven = await world.call('POST', '/v1/job-redrives', {
    token: admin.token,
    body: { type: of.lenient, limit: 10 },
  })
  expect([redriven.status, redriven.body]).toEqual([200, { retried: 0 }])
})

test('a retry as a new job is erased with the account that wrote its input', async () => {
  const who = await world.person(['jobs.jobs.submit:*'])
  const admin = await world.person(undefined, who.tenant)
  const open = await world.idleType()
  const parameters = { result: 'to Ada' }
  const first = await world.submit(who, { type: 'toil.any', parameters })
  await world.reached(who, first, 'succeeded')
  const again = async (id: string) => {
    const ask = { token: admin.token, body: { mode: 'new_job' } }
    const made = await world.call('POST', `/v1/jobs/${id}/retry`, ask)
    expect(made.status, made.text).toBe(202)
    return made.body.id as string
  }
  const second = await again(first)
  await world.reached(admin, second, 'succeeded')
  const third = await again(second)
  await world.reached(admin, third, 'succeeded')
  const waiting = await world.submit(who, { type: open, parameters })
  await world.call('POST', `/v1/jobs/${waiting}/cancel`, { token: who.token })
  const copy = await again(waiting)
  const own = await world.submit(admin, { type: 'toil.any', parameters })
  await world.reached(admin, own, 'succeeded')
  const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
  expect(erased.status).toBe(204)
  const kept = async () => {
    const rows = await world.query<{ job_id: string }>(
      `select job_id from jobs.job_inputs
       where job_id = any($1) and json_typeof(parameters) <> 'null'
       union select job_id from jobs.job_results where job_id = any($1)`,
      [[first, second, third, waiting, copy, own]],
    )
    return rows.map(one => one.job_id)
  }
  await eventually('only what the administrator wrote is left', async () => {
    return (await kept()).join() === own
  })
  expect((await world.history(copy)).at(-1)).toBe('cancelled')
})

test('a reason that an erased person gave on a job of another is erased', async () => {
  const { type, worker, owner: admin } = await workshop(world)
  const who = await world.person(['jobs.jobs.cancel:*'], admin.tenant)
  const waiting = await world.submit(admin, { type: await world.idleType() })
  const running = await world.submit(admin, { type })
  expect((await worker.take()).job.id).toBe(running)
  for (const id of [waiting, running]) {
    const ask = { token: who.token, body: { reason: 'because Ada is ill' } }
    const cancelled = await world.call('POST', `/v1/jobs/${id}/cancel`, ask)
    expect(cancelled.status, cancelled.text).toBeLessThan(300)
  }
  const own = await world.submit(admin, { type: await world.idleType() })
  const ask = { token: admin.token, body: { reason: 'because I like it' } }
  expect((await world.call('POST', `/v1/jobs/${own}/cancel`, ask)).status).toBe(200)
  const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
  expect(erased.status).toBe(204)
  const events = async (id: string) =>
    (await world.call('GET', `/v1/jobs/${id}/events`, { token: admin.token })).text
  await eventually('the reason is gone', async () => {
    const texts = await Promise.all([waiting, running].map(events))
    return !texts.join(' ').includes('Ada')
  })
  expect(await events(own)).toContain('because I like it')
})

type Line = {
  readonly surface?: string
  readonly kind?: string
  readonly data?: { readonly id: string; readonly parameters?: unknown }
}
