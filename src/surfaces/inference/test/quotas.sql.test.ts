/** Quotas: no unit more than the budget, in any order of parallel calls, crashes and turns of the clock. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { reapBatch } from '../operations/reaper.ts'
import { code, openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({
    INFERENCE_QUOTA_TENANT_OPERATIONS: '100000',
    INFERENCE_QUOTA_TENANT_TOKENS_PER_MINUTE: '100000000',
    INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_MINUTE: '100000000',
    INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_DAY: '100000000',
    INFERENCE_QUOTA_PRINCIPAL_COST_PER_DAY: '1000000',
    // Only quotas refuse here: on a slow machine more than the 64 of the default run at one time.
    INFERENCE_DEPLOYMENT_CONCURRENCY: '1000',
    KERNEL_DATABASE_WAIT_MS: '60000',
  })
})
afterAll(() => world.close())

/** Sets a limit of a tenant as the operator of the platform does. */
async function limit(one: Someone, limits: object): Promise<void> {
  await world.platform.kernel.db.run(sql`
    insert into inference.quota_limits (tenant_id, scope_type, scope_id, limits)
    values (${one.tenant.id}, 'tenant', ${one.tenant.id}, ${sql.json(limits)}::jsonb)
    on conflict (tenant_id, scope_type, scope_id) do update set limits = excluded.limits`)
}

const Counter = Type.Object({ used: Type.Number(), reserved: Type.Number() })
const counter = (one: Someone) =>
  world.platform.kernel.db.one(
    Counter,
    sql`
      select day_used::float8 as used, day_reserved::float8 as reserved from inference.quota_counters
      where tenant_id = ${one.tenant.id} and scope_type = 'tenant'`,
  )

describe.concurrent('quotas', () => {
  test('admit 10 of 50 parallel calls with a budget for 10, and give the rest back', async () => {
    const one = await world.someone()
    await limit(one, { operations: 10 })
    // None ends before all 50 were decided, however long that takes: a place that is given back is taken again.
    await world.fault({
      action: 'slow',
      ttft_ms: 60_000,
      match: { prompt_contains: `fifty ${one.id}` },
      times: 50,
    })
    const early: Answer[] = []
    const answers = Array.from({ length: 50 }, async () => {
      const answer = await one.infer(`fifty ${one.id}`)
      early.push(answer)
      return answer
    })
    await eventually('40 are refused', () => early.length >= 40)
    expect(early.map(answer => answer.status)).toEqual(Array.from({ length: 40 }, () => 429))
    expect(early[0]?.body.quota).toMatchObject({ metric: 'concurrency', scope: 'tenant' })
    const running = await world.platform.kernel.db.many(
      Type.Object({ id: Type.String() }),
      sql`
        select operation_id as id from inference.quota_reservations
        where tenant_id = ${one.tenant.id} and state = 'held'`,
    )
    expect(running).toHaveLength(10)
    await Promise.all(running.map(({ id }) => one.ask('POST', `/v1/inferences/${id}/cancel`)))
    const ended = (await Promise.all(answers)).filter(answer => answer.status !== 429)
    expect(ended.map(code)).toEqual(running.map(() => [409, 'inference_cancelled']))
    expect(await world.held(one.tenant.id)).toBe(0)
  })

  test('count a call in the window of its reservation', async () => {
    const one = await world.someone()
    await world.fault({
      action: 'slow',
      ttft_ms: 4000,
      match: { prompt_contains: `windows ${one.id}` },
    })
    const running = one.infer(`windows ${one.id}`)
    await eventually('the call is reserved', async () => (await world.held(one.tenant.id)) === 1)
    // As if it had been reserved before midnight.
    await world.platform.kernel.db.tx(async tx => {
      await tx.run(sql`
        update inference.quota_reservations
        set day_start = day_start - interval '1 day', minute_start = minute_start - interval '1 day'
        where tenant_id = ${one.tenant.id}`)
      await tx.run(sql`
        update inference.quota_counters
        set day_start = day_start - interval '1 day', minute_start = minute_start - interval '1 day'
        where tenant_id = ${one.tenant.id}`)
    })
    const { body } = await running
    expect(body.state).toBe('succeeded')
    const [usage] = await world.usage(body.id)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    expect(usage).toMatchObject({ counted_on: yesterday })
    expect((await counter(one)).reserved).toBe(0)
  })

  test('of a minute last a minute at midnight too, and jobs count against the day alone', async () => {
    const one = await world.someone()
    const most = {
      operations: 9,
      streams: 9,
      tokens_per_minute: 9,
      tokens_per_day: 9,
      cost_per_day: 9,
    }
    const limits = sql.json({
      tenant: { ...most, requests_per_minute: 0 },
      principal: { ...most, requests_per_minute: 0 },
    })
    const asked = (kind: string) => sql`
      select missed, extract(epoch from resets_at - kernel.now())::float8 as seconds
      from inference.reserve(${one.tenant.id}, ${one.id}, ${newId()}, 1, ${kind}, ${limits}::jsonb,
        ${newId()}, ${newId()}, 1, 1, 1, false, ${newId()}, 30, null, ${newId()})`
    const Missed = Type.Object({ missed: Type.String(), seconds: Type.Number() })
    class Undone extends Error {}
    const midnight = world.platform.kernel.db.tx(async tx => {
      await tx.run(sql`
        update kernel.clock set offset_seconds = extract(epoch from interval '1 day 5 seconds'
          + date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - now())`)
      const [call] = await tx.many(Missed, asked('call'))
      expect(call).toEqual({ missed: 'requests_per_minute', seconds: 55 })
      expect(await tx.many(Missed, asked('job'))).toEqual([])
      throw new Undone()
    })
    await expect(midnight).rejects.toThrow(Undone)
  })

  test('charge the price of the reservation although it changed meanwhile', async () => {
    const one = await world.someone()
    await world.allow(
      one,
      'inference.models.write',
      'inference.prices.write',
      'inference.platform.write',
    )
    const made = await one.ask('POST', '/v1/models', {
      provider: 'openai',
      model_name: 'sandbox-small',
      capability: ['text'],
      max_context: 16_000,
      max_output: 1000,
      state: 'active',
      aliases: [{ alias: 'small' }],
    })
    expect(made.status, made.text).toBe(201)
    const price = (input: string) =>
      one.ask('POST', '/v1/model-prices', {
        model_deployment_id: made.body.deployment_id,
        currency: 'USD',
        input,
        cached_input: '0',
        output: '0',
      })
    expect((await price('10.00')).body).toMatchObject({ price_version: 1 })
    await world.fault({
      action: 'slow',
      ttft_ms: 4000,
      match: { prompt_contains: `price ${one.id}` },
    })
    const running = one.infer(`price ${one.id}`, { model: 'small' })
    await eventually('the call is reserved', async () => (await world.held(one.tenant.id)) === 1)
    expect((await price('20.00')).body).toMatchObject({ price_version: 2 })
    const { body } = await running
    expect(body.usage).toMatchObject({ price_version: 1 })
    const cost = (body.usage.input_units * 10) / 1e6
    expect(Number(body.usage.cost_amount)).toBeCloseTo(cost, 8)
    const next = await one.infer('Another.', { model: 'small' })
    expect(next.body.usage.price_version).toBe(2)
  })

  test('settle what a dead process left once, as reserved', async () => {
    const one = await world.someone()
    const { db } = world.platform.kernel
    const done = await one.infer('Something.')
    const dead = newId()
    await db.tx(async tx => {
      await tx.run(sql`
        insert into inference.inference_operations (tenant_id, id, actor_id, model,
          first_deployment_id, model_deployment_id, deployment_tenant_id, workload, state,
          prompt_version, estimated_input, max_output, deadline_at)
        select tenant_id, ${dead}, actor_id, model, first_deployment_id, model_deployment_id,
          deployment_tenant_id, workload, 'running', prompt_version, 10, 20, now()
        from inference.inference_operations
        where tenant_id = ${one.tenant.id} and id = ${done.body.id}`)
      await tx.maybe(
        Type.Object({}),
        sql`
          select missed from inference.reserve(${one.tenant.id}, ${one.id}, ${dead}, 1, 'call',
            '{"tenant": {"operations": 99, "requests_per_minute": 99, "tokens_per_minute": 99999, "tokens_per_day": 999999, "cost_per_day": 99},
              "principal": {"operations": 99, "requests_per_minute": 99, "tokens_per_minute": 99999, "tokens_per_day": 999999, "cost_per_day": 99}}',
            '00000000-0000-0000-0000-000000000000', ${done.body.model_deployment_id}, 10, 20, 1,
            true, ${newId()}, -1, 1, ${newId()})`,
      )
    })
    await reapBatch(world.platform)
    await reapBatch(world.platform)
    expect(await world.usage(dead)).toMatchObject([
      { run: 1, status: 'ambiguous', input_tokens: 10, output_tokens: 20, source: 'reserved' },
    ])
    const read = await one.ask('GET', `/v1/inferences/${dead}`)
    expect(read.body).toMatchObject({ state: 'failed', error: { retryable: true } })
  })

  test('are shown, and set with the version that was read', async () => {
    const one = await world.someone()
    await world.allow(one, 'inference.quotas.write')
    const path = `/v1/quotas/principal/${one.id}`
    const set = await one.ask('PUT', path, { tokens_per_day: 1 })
    expect(set.body).toMatchObject({ limits: { tokens_per_day: 1 }, version: 1 })
    expect(code(await one.infer('Two.'))).toEqual([429, 'quota_exceeded'])
    const { body } = await one.ask('GET', '/v1/quotas')
    const line = body.data.find(
      (quota: { scope_type: string; metric: string }) =>
        quota.scope_type === 'principal' && quota.metric === 'tokens_per_day',
    )
    expect(line).toMatchObject({ limit: '1', used: '0' })
    const stale = await one.ask('PUT', path, {}, { headers: { 'if-match': '"7"' } })
    expect(stale.status).toBe(412)
    const tenant = await one.ask('PUT', `/v1/quotas/tenant/${one.tenant.id}`, {
      cost_per_day: 1_000_000,
    })
    expect(tenant.status).toBe(403)
    const foreign = await one.ask('PUT', `/v1/quotas/tenant/${newId()}`, {})
    expect(foreign.status).toBe(404)
  })
})

test('quotas overspend no unit of a budget for 100 in 1,000 calls of 200 clients', async () => {
  const one = await world.someone()
  // 200 at once may keep a slow database busy for longer than the list of revoked sessions is valid. Then the process refuses with 503, and a client waits as it says and sends the call again.
  const ask = async () => {
    const key = newKey()
    for (;;) {
      const answer = await one.infer(
        `Say ${one.id}.`,
        { parameters: { max_output_tokens: 2 } },
        key,
      )
      if (answer.body?.code !== 'overloaded') return answer
      await pause(1000 * Number(answer.headers.get('retry-after')))
    }
  }
  await limit(one, { requests_per_minute: 100_000 })
  expect((await ask()).status).toBe(200)
  const { units } = await world.platform.kernel.db.one(
    Type.Object({ units: Type.Integer() }),
    sql`
        select input_units + output_units as units from inference.quota_reservations
        where tenant_id = ${one.tenant.id}`,
  )
  const { used } = await counter(one)
  const most = used + 100 * units
  await limit(one, { requests_per_minute: 100_000, tokens_per_day: most })
  // With a socket for each call at once, some are not accepted within the ten seconds for which a client
  // waits while the process is busy. 200 are twenty times the connections to the database.
  const answers: Answer[] = []
  const client = async () => {
    for (let calls = 0; calls < 5; calls++) answers.push(await ask())
  }
  await Promise.all(Array.from({ length: 200 }, client))
  const admitted = answers.filter(answer => answer.status === 200)
  const refused = answers.find(answer => answer.status === 429)
  const others = answers.filter(answer => ![200, 429].includes(answer.status))
  expect(others.map(code)).toEqual([])
  // What a call does not use comes back, so a few more than 100 may pass.
  expect(admitted.length).toBeGreaterThanOrEqual(100)
  expect(refused?.body).toMatchObject({
    code: 'quota_exceeded',
    quota: { metric: 'tokens', scope: 'tenant', limit: String(most) },
  })
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  const after = await counter(one)
  expect(after.reserved).toBe(0)
  expect(after.used).toBeLessThanOrEqual(most)
  const asked = (await world.journal()).filter((call: { body: unknown }) =>
    JSON.stringify(call.body).includes(one.id),
  )
  expect(asked).toHaveLength(admitted.length + 1)
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
