/** Tags: what a call has, what a tag may use, and that no call passes its limit or another tenant's. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newKey } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { callerOf, openaiAt, failure } from '../../gateway/test/sdk.ts'
import {
  code,
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({
    INFERENCE_TAGS: '12',
    INFERENCE_QUOTA_TENANT_OPERATIONS: '100000',
    INFERENCE_QUOTA_TENANT_REQUESTS_PER_MINUTE: '100000',
    INFERENCE_QUOTA_PRINCIPAL_OPERATIONS: '100000',
    INFERENCE_QUOTA_PRINCIPAL_REQUESTS_PER_MINUTE: '100000',
    INFERENCE_DEPLOYMENT_CONCURRENCY: '1000',
    KERNEL_DATABASE_WAIT_MS: '60000',
  })
})
afterAll(() => world.close())

async function administrator(): Promise<Someone> {
  const one = await world.someone()
  await world.allow(one, 'inference.quotas.write', 'inference.usage.read')
  return one
}

const Counter = Type.Object({
  tokens: Type.Number(),
  reserved: Type.Number(),
  cost: Type.Number(),
})
const counters = (one: Someone, tag: string) =>
  world.platform.kernel.db.maybe(
    Counter,
    sql`
      select day_used::float8 as tokens, day_reserved::float8 as reserved, cost_used::float8 as cost
      from inference.quota_counters
      where tenant_id = ${one.tenant.id} and scope_type = 'tag' and scope_id = ${tag}`,
  )

const rows = (one: Someone) =>
  world.platform.kernel.db.many(
    Type.Object({ tags: Type.Array(Type.String()), tokens: Type.Integer() }),
    sql`
      select tags, input_tokens + output_tokens as tokens from inference.generation_usage
      where tenant_id = ${one.tenant.id} order by completed_at`,
  )

const tokensOf = (made: { body: { usage: { input_units: number; output_units: number } } }) =>
  made.body.usage.input_units + made.body.usage.output_units

describe.concurrent('tags', () => {
  test('of a call are shown with it and stored with its usage, in each form of request', async () => {
    const caller = await callerOf(world)
    const made = await caller.infer('Hi.', { tags: ['feature:search', 'env.test'] })
    expect(made.body.tags).toEqual(['env.test', 'feature:search'])
    const read = await caller.ask('GET', `/v1/inferences/${made.body.id}`)
    expect(read.body.tags).toEqual(['env.test', 'feature:search'])
    expect((await caller.infer('Hi.')).body.tags).toEqual([])
    const headers = { 'x-tags': 'env.test, feature:chat,env.test' }
    const asked = { model: 'default', input: 'Hi.' }
    const native = await caller.ask('POST', '/v1/inferences', asked, { headers })
    expect(native.body.tags).toEqual(['env.test', 'feature:chat'])
    const client = openaiAt(world, caller)
    const messages = [{ role: 'user' as const, content: 'Hi.' }]
    await client.chat.completions.create({ model: 'default', messages }, { headers })
    await client.responses.create({ model: 'default', input: 'Hi.' }, { headers })
    await client.embeddings.create({ model: 'embedding', input: 'Hi.' }, { headers })
    const turn = { model: 'default', messages, max_tokens: 5 }
    const message = await caller.ask('POST', '/v1/messages', turn, { headers })
    expect(message.status, message.text).toBe(200)
    const streamed = await caller.stream('Hi.', { tags: ['env.test'] })
    expect(streamed.last?.event).toBe('completed')
    const chat = ['env.test', 'feature:chat']
    const sorted = [['env.test', 'feature:search'], [], chat, chat, chat, chat, chat, ['env.test']]
    expect((await rows({ ...caller, id: caller.id })).map(one => one.tags)).toEqual(sorted)
  })

  test('are refused if they are reserved, malformed or more than four, and nothing is sent', async () => {
    const caller = await callerOf(world)
    const sent = [
      [['team:a'], 'tag_reserved'],
      [['A'], 'validation_failed'],
      [[''], 'validation_failed'],
      [['x'.repeat(65)], 'validation_failed'],
      [['a', 'b', 'c', 'd', 'e'], 'validation_failed'],
      [['a', 'a'], 'validation_failed'],
    ] as const
    for (const [tags, named] of sent) {
      expect(code(await caller.infer('Hi.', { tags }))).toEqual([422, named])
    }
    const job = { model: 'default', input: 'Hi.', tags: ['team:a'] }
    const refused = await caller.ask('POST', '/v1/inference-jobs', job, { key: newKey() })
    expect(code(refused)).toEqual([422, 'tag_reserved'])
    const client = openaiAt(world, caller)
    for (const [tags, named] of [
      ['team:a', 'tag_reserved'],
      ['a,b,c,d,e', 'validation_failed'],
      ['a b', 'validation_failed'],
    ]) {
      const headers = { 'x-tags': tags ?? '' }
      const error = await failure(
        client.responses.create({ model: 'default', input: 'Hi.' }, { headers }),
      )
      expect([error.status, error.code]).toEqual([422, named])
    }
    expect(await rows(caller)).toEqual([])
    expect((await caller.ask('GET', '/v1/inferences')).body.data).toEqual([])
  })

  test('are at most so many in a tenant, however many calls bring new ones at once', async () => {
    const one = await administrator()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => one.infer('Hi.', { tags: [`new-${at}`] })),
    )
    const made = answers.filter(answer => answer.status === 200)
    expect(made).toHaveLength(12)
    const others = answers.filter(answer => answer.status !== 200)
    expect(others.map(code)).toEqual(others.map(() => [422, 'too_many_tags']))
    const put = await one.ask('PUT', '/v1/quotas/tag/another', { tokens_per_day: 1 })
    expect(code(put)).toEqual([422, 'too_many_tags'])
    const [known = ''] = made[0]?.body.tags ?? []
    expect((await one.infer('Hi.', { tags: [known] })).status).toBe(200)
    const elsewhere = await world.someone()
    expect((await elsewhere.infer('Hi.', { tags: ['another'] })).status).toBe(200)
  })

  test('of a principal are added to all of its calls, also to those of its keys', async () => {
    const admin = await administrator()
    const caller = await callerOf(world, await world.someone(admin.tenant))
    const path = `/v1/quotas/principal/${caller.id}`
    const set = await admin.ask('PUT', path, { tags: ['team:red', 'own'], operations: 7 })
    expect(set.body).toMatchObject({ tags: ['team:red', 'own'], limits: { operations: 7 } })
    expect((await admin.ask('GET', path)).body).toMatchObject({ tags: ['team:red', 'own'] })
    const all = ['own', 'sent', 'team:red']
    expect((await caller.infer('Hi.', { tags: ['sent', 'own'] })).body.tags).toEqual(all)
    const client = openaiAt(world, caller)
    const headers = { 'x-tags': 'sent' }
    await client.responses.create({ model: 'default', input: 'Hi.' }, { headers })
    const prompt = await caller.ask('POST', '/v1/generations', { prompt: 'Hi.' })
    expect(prompt.status, prompt.text).toBe(200)
    const order = {
      tenant_id: caller.tenant.id,
      principal: { id: caller.id, kind: 'account' as const },
      workload: 'retrieval_embedding' as const,
      parent_id: newId(),
      deadline: new Date(Date.now() + 30_000),
    }
    const asked = { texts: ['Hi.'], dimensions: 128 }
    await world.face.embed(order, 'embedding', asked, AbortSignal.timeout(30_000))
    expect((await rows(caller)).map(one => one.tags)).toEqual([
      all,
      all,
      all.toSpliced(1, 1),
      all.toSpliced(1, 1),
    ])
    // The limit of the tag holds for calls that do not know it.
    await admin.ask('PUT', '/v1/quotas/tag/team:red', { tokens_per_day: 0 })
    expect(code(await caller.infer('Hi.'))).toEqual([429, 'quota_exceeded'])
    expect((await admin.infer('Hi.')).status).toBe(200)
    const lines = (await caller.ask('GET', '/v1/quotas')).body.data
    expect(lines).toContainEqual(
      expect.objectContaining({ scope_type: 'tag', scope_id: 'team:red', limit: '0' }),
    )
    expect((await admin.ask('DELETE', path)).status).toBe(204)
    expect((await admin.ask('DELETE', path)).status).toBe(204)
    expect((await caller.infer('Hi.')).body.tags).toEqual([])
    const tenant = await admin.ask('PUT', `/v1/quotas/tenant/${admin.tenant.id}`, { tags: ['a'] })
    expect(code(tenant)).toEqual([422, 'validation_failed'])
  })

  test('have counters only while they have a limit, and these begin with what the day has used', async () => {
    const one = await administrator()
    const first = await one.infer('Hi.', { tags: ['a', 'b'] })
    expect(await counters(one, 'a')).toBeUndefined()
    const path = '/v1/quotas/tag/a'
    const put = (limits: object) => one.ask('PUT', path, limits)
    expect(code(await one.ask('GET', path))).toEqual([404, 'quota_scope_not_found'])
    const made = await put({ tokens_per_day: 100_000, cost_per_day: 1 })
    expect(made.body).toMatchObject({
      limits: { tokens_per_day: 100_000, cost_per_day: 1 },
      version: 1,
    })
    const cost = Number(first.body.usage.cost_amount)
    expect(await counters(one, 'a')).toEqual({ tokens: tokensOf(first), reserved: 0, cost })
    const shown = (await one.ask('GET', '/v1/quotas?scope=tenant')).body.data
    expect(shown).toContainEqual(
      expect.objectContaining({
        metric: 'cost_per_day',
        used: first.body.usage.cost_amount,
        limit: '1',
      }),
    )
    const second = await one.infer('Hi.', { tags: ['a'] })
    await put({ tokens_per_day: tokensOf(first) + tokensOf(second) })
    const used = tokensOf(first) + tokensOf(second)
    expect(await counters(one, 'a')).toMatchObject({ tokens: used, reserved: 0 })
    const refused = await one.infer('Hi.', { tags: ['b', 'a'] })
    expect(refused.body).toMatchObject({ quota: { metric: 'tokens', scope: 'tag' } })
    expect((await one.infer('Hi.', { tags: ['b'] })).status).toBe(200)
    const lines = (await one.ask('GET', '/v1/quotas?scope=tenant')).body.data
    expect(lines).toContainEqual({
      scope_type: 'tag',
      scope_id: 'a',
      metric: 'tokens_per_day',
      limit: String(used),
      used: String(used),
      reserved: '0',
      resets_at: expect.any(String),
    })
    expect((await one.ask('DELETE', path)).status).toBe(204)
    expect(await counters(one, 'a')).toBeUndefined()
    expect((await one.infer('Hi.', { tags: ['a'] })).status).toBe(200)
    expect(code(await one.ask('GET', path))).toEqual([404, 'quota_scope_not_found'])
    const stale = await one.ask('PUT', path, {}, { headers: { 'if-match': '"7"' } })
    expect(stale.status).toBe(412)
    const odd = await one.ask('PUT', '/v1/quotas/tag/Not-one', {})
    expect(code(odd)).toEqual([404, 'quota_scope_not_found'])
  })

  test('limit the calls that run at one time', async () => {
    const one = await administrator()
    await one.ask('PUT', '/v1/quotas/tag/a', { operations: 3 })
    await world.fault({
      action: 'slow',
      ttft_ms: 60_000,
      match: { prompt_contains: `slow ${one.id}` },
      times: 3,
    })
    const running = Array.from({ length: 3 }, () => one.stream(`slow ${one.id}`, { tags: ['a'] }))
    await expect.poll(() => world.held(one.tenant.id)).toBe(3)
    const refused = await one.infer('Hi.', { tags: ['a'] })
    expect(refused.body.quota).toMatchObject({ metric: 'concurrency', scope: 'tag', limit: '3' })
    expect((await one.infer('Hi.', { tags: ['b'] })).status).toBe(200)
    const { data } = (await one.ask('GET', '/v1/inferences?state=running')).body
    await Promise.all(
      data.map(({ id }: { id: string }) => one.ask('POST', `/v1/inferences/${id}/cancel`)),
    )
    await Promise.all(running)
    expect((await one.infer('Hi.', { tags: ['a'] })).status).toBe(200)
  })

  test('are set, read and seen by those who may, in their own tenant', async () => {
    const admin = await administrator()
    const member = await world.someone(admin.tenant)
    const other = await administrator()
    await admin.ask('PUT', '/v1/quotas/tag/a', { tokens_per_day: 0 })
    expect((await other.infer('Hi.', { tags: ['a'] })).status).toBe(200)
    expect((await other.ask('GET', '/v1/quotas/tag/a')).status).toBe(404)
    expect((await other.ask('DELETE', '/v1/quotas/tag/a')).status).toBe(204)
    expect((await admin.ask('GET', '/v1/quotas/tag/a')).body.version).toBe(1)
    for (const [method, path] of [
      ['PUT', '/v1/quotas/tag/a'],
      ['GET', '/v1/quotas/tag/a'],
      ['DELETE', '/v1/quotas/tag/a'],
      ['GET', '/v1/quotas?scope=tenant'],
    ] as const) {
      const answer = await member.ask(method, path, method === 'PUT' ? {} : undefined)
      expect(code(answer)).toEqual([403, 'permission_denied'])
    }
    const lines = (await other.ask('GET', '/v1/quotas?scope=tenant')).body.data
    expect(lines.filter((line: { scope_type: string }) => line.scope_type === 'tag')).toEqual([])
  })

  test('are read in pages, each line once', async () => {
    const admin = await administrator()
    await admin.ask('PUT', '/v1/quotas/tag/a', { tokens_per_day: 5, streams: 2 })
    await admin.ask('PUT', `/v1/quotas/principal/${admin.id}`, { cost_per_day: 2 })
    const all = (await admin.ask('GET', '/v1/quotas?scope=tenant')).body.data
    const lines: unknown[] = []
    for (let next = '/v1/quotas?scope=tenant&limit=2'; next !== '';) {
      const { body } = await admin.ask('GET', next)
      lines.push(...body.data)
      next = body.has_more
        ? `/v1/quotas?scope=tenant&limit=2&cursor=${encodeURIComponent(body.next_cursor)}`
        : ''
    }
    expect(lines).toEqual(all)
    // Six of the tenant, and the three that are set.
    expect(lines).toHaveLength(9)
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})
