/** What other surfaces call: a server prompt as a stream, and embeddings; and one quota for all doors. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import type { Order, Piece } from '../face.ts'
import { code, openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

const orderOf = (one: Someone, workload: Order['workload']): Order => ({
  tenant_id: one.tenant.id,
  principal: { id: one.id, kind: 'account' },
  workload,
  parent_id: newId(),
  deadline: new Date(Date.now() + 60_000),
})

const schema = {
  name: 'cited_answer',
  schema: {
    type: 'object',
    properties: {
      sentences: { type: 'array', items: { type: 'object' } },
      insufficient: { type: 'boolean' },
    },
  },
}

test('generate streams an answer from its blocks, and keeps neither of them', async () => {
  const one = await world.someone()
  const input =
    '<<BLOCK k1 abc>>\nThe gate opens at nine in the morning.\n<<END abc>>\n\nWhen does the gate open?'
  const pieces: Piece[] = []
  const order = orderOf(one, 'retrieval_answer')
  const prompt = { prompt: 'cited_answer@1', input, schema, max_output_tokens: 500 } as const
  for await (const piece of world.face.generate(order, prompt, AbortSignal.timeout(30_000))) {
    pieces.push(piece)
  }
  const [started] = pieces
  expect(started).toMatchObject({ type: 'started', prompt_version: 'cited_answer@1' })
  const said = pieces.map(piece => (piece.type === 'text' ? piece.text : '')).join('')
  expect(JSON.parse(said)).toMatchObject({ insufficient: false })
  expect(pieces.at(-1)).toMatchObject({ type: 'ended', finish_reason: 'stop' })
  const { contents } = await world.platform.kernel.db.one(
    Type.Object({ contents: Type.Integer() }),
    sql`
      select count(*)::int as contents from inference.contents
      where tenant_id = ${one.tenant.id}`,
  )
  expect(contents).toBe(0)
})

test('embed returns a vector for each text and charges its tokens', async () => {
  const one = await world.someone()
  const order = orderOf(one, 'retrieval_embedding')
  const signal = AbortSignal.timeout(30_000)
  const texts = ['a ship at sea', 'a boat at sea', 'the price of bread']
  const dimensions = 128
  const wanted = { texts, dimensions }
  const { vectors, usage } = await world.face.embed(order, 'embedding', wanted, signal)
  expect(vectors.map(vector => vector.length)).toEqual([dimensions, dimensions, dimensions])
  expect(usage.input_units).toBeGreaterThan(0)
  const dot = (a: Iterable<number> = [], [...b]: Iterable<number> = []) =>
    [...a].reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  expect(dot(vectors[0], vectors[1])).toBeGreaterThan(dot(vectors[0], vectors[2]))
  expect(await world.faults()).toEqual([])
})

test('a failing provider is a problem, and nothing is charged for what it refused', async () => {
  const one = await world.someone()
  await world.fault({ action: 'rate_limit', match: { path: '/embeddings' }, times: 9 })
  const order = orderOf(one, 'retrieval_embedding')
  const wanted = { texts: ['text'], dimensions: 128 }
  const asked = world.face.embed(order, 'embedding', wanted, AbortSignal.timeout(30_000))
  await expect(asked).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await world.faults()).toEqual([])
})

test('the quota of a person counts all of their API keys, and that of a key narrows it further', async () => {
  const admin = await world.someone()
  const owner = await world.someone(admin.tenant)
  await world.allow(admin, 'inference.quotas.write')
  const permissions = ['inference.operations.create']
  const made = async () => {
    const { body } = await owner.ask('POST', '/v1/api-keys', { name: newId(), permissions })
    return body as { readonly id: string; readonly key: string }
  }
  const one = await made()
  const other = await made()
  const infer = (token: string, path = '/v1/inferences') =>
    world.call('POST', path, { token, key: newKey(), body: { model: 'default', input: 'Hi.' } })
  const put = async (id: string, limits: object) => {
    const { status, text } = await admin.ask('PUT', `/v1/quotas/principal/${id}`, limits)
    expect(status, text).toBe(200)
  }
  for (const token of [one.key, other.key, owner.token]) {
    expect((await infer(token)).status).toBe(200)
  }
  const { used } = await world.platform.kernel.db.one(
    Type.Object({ used: Type.Integer() }),
    sql`
      select requests as used from inference.quota_counters
      where tenant_id = ${owner.tenant.id} and scope_id = ${owner.id}`,
  )
  expect(used).toBe(3)
  await put(one.id, { cost_per_day: 0 })
  expect(code(await infer(one.key))).toEqual([429, 'quota_exceeded'])
  expect((await infer(other.key)).status).toBe(200)
  await put(owner.id, { cost_per_day: 0 })
  await put(one.id, { cost_per_day: 5 })
  const shown = await world.call('GET', '/v1/quotas', { token: one.key })
  const limits = shown.body.data.flatMap(
    (line: { scope_type: string; scope_id: string; metric: string; limit: string }) =>
      line.scope_type === 'principal' && line.metric === 'cost_per_day'
        ? [[line.scope_id, line.limit]]
        : [],
  )
  expect(new Map(limits)).toEqual(
    new Map([
      [owner.id, '0'],
      [one.id, '5'],
    ]),
  )
  const late = await made()
  const unused = await world.call('GET', '/v1/quotas', { token: late.key })
  expect(unused.body.data).toHaveLength(18)
  for (const path of ['/v1/inferences', '/v1/inferences:stream']) {
    for (const token of [one.key, other.key, late.key, owner.token]) {
      expect(code(await infer(token, path))).toEqual([429, 'quota_exceeded'])
    }
  }
  await put(owner.id, { tokens_per_day: 0 })
  const wanted = { texts: ['text'], dimensions: 128 }
  for (const { id } of [one, other, late]) {
    const order = orderOf({ ...owner, id }, 'retrieval_embedding')
    const asked = world.face.embed(order, 'embedding', wanted, AbortSignal.timeout(30_000))
    await expect(asked).rejects.toMatchObject({ code: 'quota_exceeded' })
  }
  expect(await world.faults()).toEqual([])
})
