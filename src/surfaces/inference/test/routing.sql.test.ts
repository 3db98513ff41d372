/** Which deployment answers: aliases, failover, states of a deployment; and a stream that is taken up again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { code, openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'
import { readByHand } from './read-by-hand.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

async function model(one: Someone, name: string, priority: number, provider: string) {
  const { body, status, text } = await one.ask('POST', '/v1/models', {
    provider,
    model_name: name,
    capability: ['text', 'stream'],
    max_context: 16_000,
    max_output: 1000,
    state: 'active',
    aliases: [{ alias: 'mine', priority }],
  })
  expect(status, text).toBe(201)
  return body
}

describe.concurrent('an alias of two deployments', () => {
  test('is answered by the second where the first fails, under another key', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write', 'inference.platform.write')
    await model(one, 'sandbox-small', 0, 'p0')
    const second = await model(one, 'sandbox-large', 1, 'p1')
    const prompt = `prompt ${newId()}`
    await world.fault({
      action: 'status',
      status: 500,
      match: { model: 'sandbox-small', prompt_contains: prompt },
      times: 99,
    })
    const { body } = await one.infer(prompt, { model: 'mine' })
    expect(body).toMatchObject({
      state: 'succeeded',
      model: 'mine',
      model_deployment_id: second.id,
      model_snapshot: 'sandbox-large-2026-01-01',
    })
    expect(await world.usage(body.id)).toMatchObject([
      { run: 1, status: 'failed', output_tokens: 0 },
      { run: 2, status: 'succeeded' },
    ])
    const keys = (await world.journal(body.id)).map(seen => seen.headers['idempotency-key'])
    expect(new Set(keys)).toEqual(new Set([body.id, `${body.id}.${second.id}`]))

    const only = { model: 'mine', parameters: { fallback: 'deny' } }
    expect(code(await one.infer(prompt, only))).toEqual([503, 'service_unavailable'])
  })
})

describe.concurrent('a deployment', () => {
  test('has each alias once', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write', 'inference.platform.write')
    const { id } = await model(one, 'sandbox-small', 0, 'p2')
    const aliases = [{ alias: 'mine' }, { alias: 'other' }, { alias: 'mine', priority: 1 }]
    const { status, body } = await one.ask('PATCH', `/v1/models/${id}`, { aliases })
    expect(status).toBe(422)
    expect(body.errors).toEqual([
      { location: 'body', pointer: '/aliases/2/alias', constraint: 'unique' },
    ])
  })

  test('that drains takes no call, and comes back', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write', 'inference.platform.write')
    const { id, row_version } = await model(one, 'sandbox-small', 0, 'p2')
    const change = (state: string, headers = {}) =>
      one.ask('PATCH', `/v1/models/${id}`, { state }, { headers })
    expect(code(await change('disabled'))).toEqual([409, 'invalid_transition'])
    const drained = await change('draining', { 'if-match': `"${row_version}"` })
    expect(drained.body).toMatchObject({ state: 'draining' })
    expect((await change('active', { 'if-match': `"${row_version}"` })).status).toBe(412)
    expect(code(await one.infer('One.', { model: id }))).toEqual([503, 'service_unavailable'])
    expect((await change('disabled')).status).toBe(200)
    expect(code(await one.infer('One.', { model: id }))).toEqual([404, 'model_not_found'])
    expect((await change('active')).status).toBe(200)
    expect((await one.infer('One.', { model: id })).status).toBe(200)
  })

  test('is added and priced by the platform operator alone, for any tenant', async () => {
    const [one, operator] = await Promise.all([world.someone(), world.someone()])
    await world.allow(one, 'inference.models.write', 'inference.prices.write')
    await world.allow(
      operator,
      'inference.models.write',
      'inference.prices.write',
      'inference.platform.write',
    )
    const added = {
      provider: 'p4',
      model_name: 'sandbox-small',
      capability: ['text'],
      max_context: 16_000,
      max_output: 1000,
      state: 'active',
      tenant_id: one.tenant.id,
    }
    expect((await one.ask('POST', '/v1/models', added)).status).toBe(403)
    const made = await operator.ask('POST', '/v1/models', added)
    expect(made.status, made.text).toBe(201)
    const price = { currency: 'USD', input: '0', cached_input: '0', output: '0' }
    const priced = { model_deployment_id: made.body.deployment_id, ...price }
    expect((await one.ask('POST', '/v1/model-prices', priced)).status).toBe(403)
    expect((await operator.ask('POST', '/v1/model-prices', priced)).status).toBe(201)
    expect((await one.infer('One.', { model: made.body.id })).status).toBe(200)
    const foreign = await operator.infer('One.', { model: made.body.id })
    expect(code(foreign)).toEqual([404, 'model_not_found'])
    const changed = await operator.ask('PATCH', `/v1/models/${made.body.id}`, {
      state: 'draining',
      max_output: 500,
    })
    expect(changed.status, changed.text).toBe(200)
    expect(changed.body).toMatchObject({ id: made.body.id, state: 'draining', max_output: 500 })
    const stranger = await world.someone()
    await world.allow(stranger, 'inference.models.write')
    const refused = await stranger.ask('PATCH', `/v1/models/${made.body.id}`, { max_output: 5 })
    expect(code(refused)).toEqual([404, 'model_not_found'])
  })

  test('of the platform is not changed by a tenant', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write', 'inference.prices.write')
    const { body } = await one.ask('GET', '/v1/models')
    const { id, deployment_id } = body.data.find(
      (found: { owner: string }) => found.owner === 'platform',
    )
    expect((await one.ask('PATCH', `/v1/models/${id}`, { state: 'draining' })).status).toBe(403)
    const price = { currency: 'USD', input: '0', cached_input: '0', output: '0' }
    const priced = await one.ask('POST', '/v1/model-prices', {
      model_deployment_id: deployment_id,
      ...price,
    })
    expect(priced.status).toBe(403)
  })

  test('has no price below zero, and none that is too large to store', async () => {
    const operator = await world.someone()
    await world.allow(
      operator,
      'inference.models.write',
      'inference.prices.write',
      'inference.platform.write',
    )
    const { deployment_id } = await model(operator, 'sandbox-small', 0, 'p5')
    const price = { currency: 'USD', input: '0', cached_input: '0', output: '0' }
    const set = (more: object) =>
      operator.ask('POST', '/v1/model-prices', {
        model_deployment_id: deployment_id,
        ...price,
        ...more,
      })
    for (const name of ['input', 'cached_input', 'output']) {
      for (const amount of ['-0.4', '-0', '1000000000000', '0.123456789']) {
        const refused = await set({ [name]: amount })
        expect(code(refused), `${name} ${amount}`).toEqual([422, 'validation_failed'])
      }
    }
    expect((await set({ output: '999999999999.99999999' })).status).toBe(201)
  })

  test('without the capability, or with too small a context, is no choice', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.models.write', 'inference.platform.write')
    const { id } = await model(one, 'sandbox-small', 0, 'p3')
    const response_format = { type: 'json_schema', name: 'any', schema: { type: 'object' } }
    const json = await one.infer('One.', { model: id, parameters: { response_format } })
    expect(code(json)).toEqual([422, 'model_capability_unsupported'])
    const long = await one.infer('word '.repeat(20_000), { model: id })
    expect(code(long)).toEqual([422, 'context_length_exceeded'])
  })
})

test('a retry of a reader that has left runs the call again under the same id', async () => {
  const one = await world.someone()
  const prompt = `prompt ${newId()}`
  await world.fault({
    action: 'slow',
    ttft_ms: 0,
    delta_ms: 200,
    match: { prompt_contains: prompt },
    times: 1,
  })
  const key = newKey()
  const { frames, leave } = await readByHand(world.url, one, prompt, 3, key)
  leave()
  const id = frames[0]?.data.operation_id
  await eventually('it is settled', async () => (await world.usage(id)).length === 1)
  const { last } = await one.stream(prompt, {}, key)
  expect(last).toMatchObject({ event: 'completed', data: { operation_id: id } })
  expect(await world.usage(id)).toMatchObject([
    { run: 1, status: 'cancelled' },
    { run: 2, status: 'succeeded' },
  ])
})

test('usage is summed by day, for oneself and for the tenant', async () => {
  const tenant = await world.tenant()
  const [one, other] = await Promise.all([world.someone(tenant), world.someone(tenant)])
  await world.allow(other, 'inference.usage.read')
  const [mine, theirs] = await Promise.all([one.infer('One.'), other.infer('Two.')])
  const own = await one.ask('GET', '/v1/usage')
  expect(own.body.data).toMatchObject([
    { requests: 1, cost_amount: mine.body.usage.cost_amount, currency: 'USD' },
  ])
  expect((await one.ask('GET', '/v1/usage?scope=tenant')).status).toBe(403)
  const all = await other.ask('GET', '/v1/usage?scope=tenant&group_by=model')
  const sum = mine.body.usage.output_units + theirs.body.usage.output_units
  expect(all.body.data).toMatchObject([{ requests: 2, output_tokens: sum }])
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
