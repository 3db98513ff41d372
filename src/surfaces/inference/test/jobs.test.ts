/** Calls and reports in jobs, and the webhooks of the provider that tell of their end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { code, openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({ JOBS_CONCURRENCY: '' })
})
afterAll(() => world.close())

const submit = (one: Someone, input: string, more = {}, key = newKey()) =>
  one.ask('POST', '/v1/inference-jobs', { model: 'default', input, ...more }, { key })
const report = (one: Someone, prompt: string, key = newKey()) =>
  one.ask('POST', '/v1/reports', { prompt, title: 'A title' }, { key })

const ends = (one: Someone, path: string, state: string) =>
  eventually(`${path} is ${state}`, async () => {
    const { body } = await one.ask('GET', path)
    return body.state === state && body
  })

const responseOf = async (operation_id: string) =>
  await world.platform.kernel.db.one(
    Type.Object({
      provider_response_id: Type.Union([Type.String(), Type.Null()]),
      version: Type.Integer(),
    }),
    sql`
      select provider_response_id, version from inference.inference_operations
      where id = ${operation_id}`,
  )

describe.concurrent('a call in a job', () => {
  test('is accepted, runs, and shows its result under both of its addresses', async () => {
    const one = await world.someone()
    const key = newKey()
    const made = await submit(one, 'Write about rivers.', { priority: 'high' }, key)
    expect(made.status, made.text).toBe(202)
    expect(made.body).toMatchObject({ state: 'pending', status: 'queued' })
    expect(made.headers.get('location')).toBe(`/v1/inference-jobs/${made.body.job_id}`)
    const again = await submit(one, 'Write about rivers.', { priority: 'high' }, key)
    expect(again.body).toEqual(made.body)

    const done = await ends(one, made.body.status_url, 'succeeded')
    expect(done).toMatchObject({
      id: made.body.job_id,
      operation_id: made.body.operation_id,
      result: { state: 'succeeded', job_id: made.body.job_id },
      attempts: [{ attempt: 1, state: 'succeeded' }],
    })
    const job = await one.ask('GET', `/v1/jobs/${made.body.job_id}`)
    expect(job.body).toMatchObject({
      state: 'succeeded',
      type: 'inference.run',
      idempotency_key: key,
    })
    expect(job.body.usage).toMatchObject({ unit: 'token' })
    expect(await world.journal(made.body.operation_id)).toHaveLength(1)
    expect(code(await one.ask('POST', `${made.body.status_url}/cancel`))).toEqual([
      409,
      'invalid_transition',
    ])
  })

  test('that runs stops at a cancel, and what it used is charged', async () => {
    const one = await world.someone()
    const prompt = `prompt ${newId()}`
    await world.fault({
      action: 'slow',
      ttft_ms: 0,
      delta_ms: 200,
      match: { prompt_contains: prompt },
      times: 9,
    })
    const { body } = await submit(one, prompt)
    await eventually('the provider has it', async () => {
      return (await world.journal(body.operation_id)).length > 0
    })
    const cancelled = await one.ask('POST', `${body.status_url}/cancel`)
    expect(cancelled.status).toBe(202)
    await ends(one, body.status_url, 'cancelled')
    const { body: call } = await one.ask('GET', `/v1/inferences/${body.operation_id}`)
    expect(call).toMatchObject({ state: 'cancelled' })
    expect(await world.usage(body.operation_id)).toMatchObject([{ status: 'cancelled' }])
  })

  test('that waits ends with its job, without a call or a reservation', async () => {
    const one = await world.someone()
    // More than a tenant runs at one time, so the last one waits.
    const prompt = `prompt ${newId()}`
    await world.fault({
      action: 'slow',
      ttft_ms: 15_000,
      match: { prompt_contains: prompt },
      times: 99,
    })
    const all = await Promise.all(Array.from({ length: 20 }, () => submit(one, prompt)))
    const last = await eventually('one waits while others run', async () => {
      const views = await Promise.all(
        all.map(async made => (await one.ask('GET', made.body.status_url)).body),
      )
      const waiting = views.filter(view => view.status === 'queued')
      return views.filter(view => view.status === 'running').length >= 16 && waiting.at(-1)
    })
    // Its time is over before the first of the others ends.
    const deadline_at = new Date(Date.now() + 2000).toISOString()
    const late = await submit(one, prompt, { priority: 'low', deadline_at })
    const cancelled = await one.ask('POST', `/v1/inference-jobs/${last.job_id}/cancel`)
    expect(cancelled.status, cancelled.text).toBe(200)
    expect(cancelled.body).toMatchObject({ state: 'cancelled' })
    const { body: call } = await one.ask('GET', `/v1/inferences/${last.operation_id}`)
    expect(call).toMatchObject({ state: 'cancelled', usage: null })
    expect(await world.journal(last.operation_id)).toHaveLength(0)
    await ends(one, late.body.status_url, 'expired')
    const expired = await one.ask('GET', `/v1/inferences/${late.body.operation_id}`)
    expect(expired.body).toMatchObject({ state: 'expired', usage: null })
    expect(await world.journal(late.body.operation_id)).toHaveLength(0)
  })

  test('whose quota is used up fails for good', async () => {
    const one = await world.someone()
    await world.platform.kernel.db.run(sql`
      insert into inference.quota_limits (tenant_id, scope_type, scope_id, limits)
      values (${one.tenant.id}, 'principal', ${one.id}, '{"tokens_per_day": 1}')`)
    const { body } = await submit(one, 'Something.')
    const failed = await ends(one, body.status_url, 'failed')
    expect(failed.error).toEqual({ code: 'quota_exceeded' })
    expect(await world.journal(body.operation_id)).toHaveLength(0)
  })

  test('of another person is not found', async () => {
    const [one, other] = await Promise.all([world.someone(), world.someone()])
    const { body } = await submit(one, 'Something.')
    for (const path of [body.status_url, `${body.status_url}/cancel`]) {
      const method = path.endsWith('cancel') ? 'POST' : 'GET'
      expect(code(await other.ask(method, path))).toEqual([404, 'job_not_found'])
    }
  })
})

describe.concurrent('a report', () => {
  test('is written in the background of the provider, and fetched as a result', async () => {
    const one = await world.someone()
    const made = await report(one, 'The state of the harbour.')
    expect(made.status, made.text).toBe(202)
    expect(made.body).toEqual({ id: made.body.id, job_id: made.body.job_id, status: 'queued' })
    expect(made.headers.get('location')).toBe(`/v1/jobs/${made.body.job_id}`)
    const job = await ends(one, `/v1/jobs/${made.body.job_id}`, 'succeeded')
    expect(job.usage).toMatchObject({ unit: 'token' })
    const { body } = await one.ask('GET', `/v1/jobs/${made.body.job_id}/result-url`)
    const result = await fetch(
      new URL(new URL(body.url).pathname + new URL(body.url).search, world.url),
    )
    expect(result.headers.get('content-type')).toContain('text/markdown')
    expect((await result.text()).length).toBeGreaterThan(10)
    const [create] = await world.journal(made.body.id)
    expect(create?.body).toMatchObject({ background: true, store: true })
    expect(await world.usage(made.body.id)).toMatchObject([{ run: 1, status: 'succeeded' }])
  })

  test('whose create answer is lost is found again, and not created twice', async () => {
    const one = await world.someone()
    const prompt = `prompt ${newId()}`
    await world.fault({ action: 'lost_response', match: { prompt_contains: prompt }, times: 1 })
    const { body } = await report(one, prompt)
    await ends(one, `/v1/jobs/${body.job_id}`, 'succeeded')
    const requests = await world.journal(body.id)
    const keys = requests.map(seen => seen.headers['idempotency-key']).filter(Boolean)
    expect(new Set(keys).size).toBe(1)
  })
})

test('a report whose response failed is written in another one', async () => {
  const one = await world.someone()
  const prompt = `prompt ${newId()}`
  await world.fault({ action: 'failed_event', match: { prompt_contains: prompt }, times: 1 })
  const { body } = await report(one, prompt)
  await ends(one, `/v1/jobs/${body.job_id}`, 'succeeded')
  const { body: job } = await one.ask('GET', `/v1/jobs/${body.job_id}`)
  expect(job.idempotency_key).toMatch(/^.{16,}$/)
  const creates = (await world.journal(body.id)).filter(({ body: sent }) => sent?.background)
  expect(creates).toHaveLength(2)
  expect(await world.usage(body.id)).toMatchObject([
    { run: 1, status: 'failed' },
    { run: 2, status: 'succeeded' },
  ])
})

test('a report goes on although its provider cannot be asked for a while', async () => {
  const one = await world.someone()
  const { body } = await report(one, 'The state of the sea. [[sandbox background_ms=3000]]')
  const response_id = await eventually('it is accepted', async () => {
    const found = await responseOf(body.id)
    return found.provider_response_id ?? false
  })
  await world.fault({ action: 'status', status: 500, times: 5, match: { path: response_id } })
  await ends(one, `/v1/jobs/${body.job_id}`, 'succeeded')
  expect(await world.usage(body.id)).toMatchObject([{ run: 1, status: 'succeeded' }])
})

test('a report that is late is cancelled at its provider', async () => {
  const [one, operator] = await Promise.all([world.someone(), world.someone()])
  await world.give(operator, 'platform_operator')
  const type = '/v1/job-types/generation.report'
  const reason = 'its deadline comes before that of its job'
  expect((await operator.ask('POST', `${type}/pause`, { reason })).status).toBe(200)
  const { body } = await report(one, 'The tides. [[sandbox background_ms=3600000]]')
  await world.platform.kernel.db.run(sql`
    update inference.inference_operations set deadline_at = deadline_at - interval '20 minutes'
    where tenant_id = ${one.tenant.id} and id = ${body.id}`)
  expect((await operator.ask('POST', `${type}/resume`, {})).status).toBe(200)
  const id = await eventually('it is accepted', async () => {
    const { provider_response_id } = await responseOf(body.id)
    return provider_response_id ?? false
  })
  try {
    const late = { body: { offset_seconds: 660 } }
    expect((await world.call('POST', '/dev/clock', late)).status).toBe(200)
    const job = await ends(one, `/v1/jobs/${body.job_id}`, 'failed')
    expect(job.error).toMatchObject({ code: 'upstream_timeout' })
  } finally {
    await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  }
  const { data } = await world.control(`requests?path=${id}/cancel`, {}, 'GET')
  expect(data).toHaveLength(1)
})

describe.concurrent('a webhook', () => {
  const Stored = Type.Object({ events: Type.Integer() })
  const stored = (id: string) =>
    world.platform.kernel.db.one(
      Stored,
      sql`
        select count(*)::int as events from inference.provider_events where event_id = ${id}`,
    )
  test('that comes twenty times at once, and late, changes nothing that has ended', async () => {
    const one = await world.someone()
    const { body } = await report(one, 'Something else.')
    await ends(one, `/v1/jobs/${body.job_id}`, 'succeeded')
    const { provider_response_id: response_id } = await responseOf(body.id)
    const sent = await world.control('webhooks', {
      response_id,
      type: 'response.failed',
      duplicate: 20,
    })
    expect(new Set(sent.statuses)).toEqual(new Set([204]))
    expect(await stored(sent.id)).toEqual({ events: 1 })
    const job = await one.ask('GET', `/v1/jobs/${body.job_id}`)
    expect(job.body.state).toBe('succeeded')
    expect(await world.usage(body.id)).toHaveLength(1)
  })

  test('that was changed, or is old, is refused', async () => {
    const one = await world.someone()
    const { body } = await report(one, 'Something more.')
    await ends(one, `/v1/jobs/${body.job_id}`, 'succeeded')
    const { provider_response_id: response_id } = await responseOf(body.id)
    const tampered = await world.control('webhooks', { response_id, tamper: true })
    const old = await world.control('webhooks', { response_id, old_timestamp: true })
    expect([...tampered.statuses, ...old.statuses]).toEqual([401, 401])
    const unknown = await world.call('POST', '/webhooks/nobody', { body: {} })
    expect(code(unknown)).toEqual([404, 'provider_not_found'])
    const unsigned = await world.call('POST', '/webhooks/openai', { body: {} })
    expect(code(unsigned)).toEqual([401, 'signature_invalid'])
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
