/** Blocking and streamed calls, over HTTP and the provider's own protocol. */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { code, openInferenceWorld, type InferenceWorld } from './inference-world.ts'

const idOf = ({ id }: { readonly id: string }) => id

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

describe.concurrent('a blocking call', () => {
  test('answers with its output, usage and cost, and its retry reads the same', async () => {
    const one = await world.someone()
    const key = newKey()
    const first = await one.infer('Write about the sea.', {}, key)
    expect(first.status, first.text).toBe(200)
    expect(first.body).toMatchObject({
      object: 'inference',
      state: 'succeeded',
      model: 'default',
      model_snapshot: 'sandbox-large-2026-01-01',
      prompt_version: 'plain@1',
      usage: { unit: 'token', source: 'provider', currency: 'USD', price_version: 1 },
      attempts: 1,
      error: null,
    })
    expect(first.body.output.text.length).toBeGreaterThan(10)
    expect(Number(first.body.usage.cost_amount)).toBeGreaterThan(0)

    const again = await one.infer('Write about the sea.', {}, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body.output).toEqual(first.body.output)
    expect(again.body.usage).toEqual(first.body.usage)
    expect(await world.journal(first.body.id)).toHaveLength(1)

    const read = await one.ask('GET', `/v1/inferences/${first.body.id}`)
    expect(read.body).toMatchObject({ id: first.body.id, output: first.body.output })
    expect(await world.usage(first.body.id)).toMatchObject([{ run: 1, status: 'succeeded' }])
  })

  test('shows the tokens that its model used for thinking, now and when it is read', async () => {
    const one = await world.someone()
    const { body } = await one.infer('Think. [[sandbox tokens=20 reasoning=1000]]')
    expect(body.usage.reasoning_units).toBe(1000)
    expect(body.usage.output_units).toBeGreaterThan(1000)
    expect((await one.ask('GET', `/v1/inferences/${body.id}`)).body.usage).toEqual(body.usage)
  })

  test('is listed without its output: to its caller, and to those who may see all', async () => {
    const one = await world.someone()
    const [neighbour, administrator] = [
      await world.someone(one.tenant),
      await world.someone(one.tenant),
    ]
    await world.give(administrator, 'model_administrator')
    const ids: string[] = []
    for (let at = 0; at < 3; at++) ids.unshift((await one.infer(`Write about ${at}.`)).body.id)
    const first = (await one.ask('GET', '/v1/inferences?limit=2&state=succeeded')).body
    expect(first.data.map(idOf)).toEqual(ids.slice(0, 2))
    const {
      output: _output,
      request_id: _request,
      ...call
    } = (await one.ask('GET', `/v1/inferences/${ids[0]}`)).body
    expect(first.data[0]).toEqual({ ...call, actor_id: one.id })
    const next = `/v1/inferences?state=succeeded&cursor=${first.next_cursor}`
    expect((await one.ask('GET', next)).body.data.map(idOf)).toEqual(ids.slice(2))
    expect((await one.ask('GET', '/v1/inferences?state=failed')).body.data).toEqual([])
    expect((await neighbour.ask('GET', '/v1/inferences')).body.data).toEqual([])
    const last = first.data[0]
    const found = async (query: string, who = one) =>
      (await who.ask('GET', `/v1/inferences?${query}`)).body.data.map(idOf)
    expect(await found(`find=${last.id}`)).toEqual([last.id])
    expect(await found(`find=${last.id}`, neighbour)).toEqual([])
    expect(await found(`until=${last.created_at}`)).toEqual(ids.slice(1))
    expect(await found(`account_id=${one.id}`, administrator)).toEqual(ids)
    const all = '/v1/inferences?scope=tenant'
    expect((await neighbour.ask('GET', all)).body.code).toBe('permission_denied')
    expect((await administrator.ask('GET', all)).body.data.map(idOf)).toEqual(ids)
    const csv = await one.ask('GET', '/v1/inferences', undefined, {
      headers: { accept: 'text/csv' },
    })
    const lines = csv.text.split('\r\n')
    expect(lines[0]).toContain(',usage.cost_amount,usage.currency,usage.price_version,safety,')
    expect(lines.slice(1, -1).map(line => line.slice(0, 36))).toEqual(ids)
    const stranger = await world.someone()
    await world.give(stranger, 'model_administrator')
    expect((await stranger.ask('GET', all)).body.data).toEqual([])
  })

  test('has the same time for each retry', async () => {
    const one = await world.alone()
    const { db } = world.platform.kernel
    const prompt = `prompt ${newId()}`
    const match = { prompt_contains: prompt }
    await world.fault({ action: 'rate_limit', retry_after_ms: 1, times: 99, match })
    const key = newKey()
    const own = sql`tenant_id = ${one.tenant.id} and idempotency_key = ${key}`
    for (let at = 0; at < 3; at++) {
      const answer = await one.infer(prompt, { parameters: { deadline_ms: 60_000 } }, key)
      expect(answer.status).toBe(503)
      const { left_s } = await db.one(
        Type.Object({ left_s: Type.Number() }),
        sql`
          select extract(epoch from deadline_at - kernel.now())::float8 as left_s
          from inference.inference_operations where ${own}`,
      )
      expect(left_s).toBeLessThanOrEqual(60)
      // Ten minutes later.
      await db.run(sql`
        update inference.inference_operations
        set created_at = created_at - interval '10 minutes',
          deadline_at = deadline_at - interval '10 minutes'
        where ${own}`)
    }
  })

  test('ends at the longest output as a success that says so', async () => {
    const one = await world.someone()
    const { body } = await one.infer('Write at length.', { parameters: { max_output_tokens: 3 } })
    expect(body).toMatchObject({ state: 'succeeded', finish_reason: 'length' })
    expect(body.usage.output_units).toBeLessThanOrEqual(3)
  })
})

describe.concurrent('a streamed call', () => {
  test('sends started, deltas, usage and completed, whose digest is that of the text', async () => {
    const one = await world.someone()
    const key = newKey()
    const { status, frames, text, last } = await one.stream('Write about ships.', {}, key)
    expect(status).toBe(200)
    expect(frames[0]).toMatchObject({ event: 'started', data: { sequence: 0 } })
    expect(frames.map(frame => frame.data.sequence)).toEqual(frames.map((_, at) => at))
    expect(frames.map(frame => frame.id)).toEqual(frames.map((_, at) => String(at)))
    expect(frames.at(-2)).toMatchObject({ event: 'usage', data: { source: 'provider' } })
    expect(last).toMatchObject({
      event: 'completed',
      data: {
        finish_reason: 'stop',
        output_length: Array.from(text).length,
        output_sha256: createHash('sha256').update(text).digest('hex'),
      },
    })

    const again = await one.stream('Write about ships.', {}, key)
    expect(again.text).toBe(text)
    expect(again.frames.map(frame => frame.event)).toEqual([
      'started',
      'delta',
      'usage',
      'completed',
    ])
    expect(again.last?.data.output_sha256).toBe(last?.data.output_sha256)
    expect(await world.journal(frames[0]?.data.operation_id)).toHaveLength(1)
  })

  test('shows the same usage again', async () => {
    const one = await world.someone()
    const key = newKey()
    const usage = async () => {
      const { frames } = await one.stream('Think. [[sandbox tokens=20 reasoning=1000]]', {}, key)
      const { sequence: _sequence, ...data } = frames.at(-2)?.data ?? {}
      return data
    }
    const first = await usage()
    expect(first).toMatchObject({ reasoning_units: 1000 })
    expect(await usage()).toEqual(first)
  })

  test('comes from the same route, as the body asks', async () => {
    const one = await world.someone()
    const answer = await one.infer('Write.', { stream: true })
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
  })

  test('is refused where `stream` is false', async () => {
    const one = await world.someone()
    const { status, body } = await one.stream('Write.', { stream: false })
    expect(code({ status, body })).toEqual([422, 'validation_failed'])
  })
})

describe.concurrent('generations', () => {
  test('return text and the id of the request', async () => {
    const one = await world.someone()
    const { status, body } = await one.ask('POST', '/v1/generations', { prompt: 'Say hello.' })
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['request_id', 'text'])
  })

  test('stream tokens and done', async () => {
    const one = await world.someone()
    const answer = await one.ask('POST', '/v1/generations/stream', { prompt: 'Say hello.' })
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    const events = [...answer.text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    expect(new Set(events.slice(0, -1))).toEqual(new Set(['token']))
    expect(events.at(-1)).toBe('done')
  })
})

test('a day that does not exist is refused with its field', async () => {
  const one = await world.someone()
  for (const day of ['2026-02-30', '2026-99-99', 'yesterday!']) {
    const refused = await one.ask('GET', `/v1/usage?from=${day}`)
    expect(code(refused), day).toEqual([422, 'validation_failed'])
    expect(refused.body.errors[0]).toMatchObject({ location: 'query', pointer: '/from' })
  }
  const { status } = await one.ask('GET', '/v1/usage?from=2026-02-28&to=2026-03-01')
  expect(status).toBe(200)
})

test('usage of more days than are summed at once, or of none, is refused', async () => {
  const one = await world.someone()
  for (const query of ['from=2025-01-01&to=2026-02-05', 'from=2026-01-02&to=2026-01-01']) {
    const refused = await one.ask('GET', `/v1/usage?${query}`)
    expect(code(refused), query).toEqual([422, 'validation_failed'])
    expect(refused.body.errors[0]).toMatchObject({ location: 'query', pointer: '/from' })
  }
  const most = await one.ask('GET', '/v1/usage?from=2025-01-01&to=2026-02-04')
  expect(most.status, most.text).toBe(200)
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
