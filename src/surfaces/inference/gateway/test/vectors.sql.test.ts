/** Embeddings and models, as the official SDK reads them. */
import type OpenAI from 'openai'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { openInferenceWorld, type InferenceWorld } from '../../test/inference-world.ts'
import { callerOf, failure, openaiAt, type Caller } from './sdk.ts'

const Used = Type.Object({
  workload: Type.String(),
  status: Type.String(),
  input_tokens: Type.Integer(),
})

let world: InferenceWorld
let caller: Caller
let client: OpenAI
beforeAll(async () => {
  world = await openInferenceWorld()
  caller = await callerOf(world)
  client = openaiAt(world, caller)
})
afterAll(() => world.close())

const model = 'embedding'

test('texts have vectors in their order, as numbers and as base64', async () => {
  const input = ['The cat sits on the mat.', 'Interest rates rise.']
  const floats = await client.embeddings.create({ model, input, encoding_format: 'float' })
  expect(floats.data.map(one => [one.index, one.embedding.length])).toEqual([
    [0, 512],
    [1, 512],
  ])
  expect(floats.usage.prompt_tokens).toBeGreaterThan(5)
  // Without a format the SDK asks for base64.
  const packed = await client.embeddings.create({ model, input })
  expect(packed.data.map(one => Array.from(one.embedding))).toEqual(
    floats.data.map(one => one.embedding),
  )
  const small = await client.embeddings.create({ model, input: 'One.', dimensions: 64 })
  expect(small.data[0]?.embedding).toHaveLength(64)
})

test('each request has its usage', async () => {
  const one = await callerOf(world)
  await openaiAt(world, one).embeddings.create({ model, input: 'Count me.' })
  const used = await world.platform.kernel.db.many(
    Used,
    sql`
      select workload, status, input_tokens from inference.generation_usage
      where tenant_id = ${one.tenant.id}`,
  )
  expect(used).toEqual([
    { workload: 'embedding', status: 'succeeded', input_tokens: expect.any(Number) },
  ])
  expect(await world.held(one.tenant.id)).toBe(0)
})

test('what it cannot do is refused', async () => {
  const refused = async (more: object) => {
    const { status, code, param } = await failure(
      client.embeddings.create({ model, input: 'One.', ...more }),
    )
    return [status, code, param]
  }
  expect(await refused({ other: 1 })).toEqual([422, 'unsupported_parameter', 'other'])
  expect(await refused({ input: [[1, 2]] })).toEqual([422, 'validation_failed', 'input.0'])
  expect(await refused({ model: 'default' })).toEqual([422, 'model_capability_unsupported', null])
})

test('models are listed by what a call takes, and found by it and by their own id', async () => {
  const models = await client.models.list()
  expect(models.data.map(one => one.id).toSorted()).toEqual(['default', 'embedding'])
  const found = models.data.find(one => one.id === 'default')
  expect(found).toMatchObject({ object: 'model', owned_by: 'openai', created: expect.any(Number) })
  expect(await client.models.retrieve('default')).toEqual(found)
  const { deployment_id } = found as unknown as { deployment_id: string }
  expect(await client.models.retrieve(deployment_id)).toEqual(found)
  const absent = await failure(client.models.retrieve('nothing'))
  expect([absent.status, absent.code]).toEqual([404, 'model_not_found'])
})

test('an alias names the deployment that it reaches first; others have their own id', async () => {
  const one = await world.someone()
  await world.allow(one, 'inference.models.write', 'inference.platform.write')
  const add = async (model_name: string, priority: number) => {
    const made = await one.ask('POST', '/v1/models', {
      provider: 'openai',
      model_name,
      capability: ['text'],
      max_context: 16_000,
      max_output: 1000,
      state: 'active',
      aliases: [{ alias: 'default', priority }],
    })
    expect(made.status, made.text).toBe(201)
    return made.body.deployment_id as string
  }
  const [second, first] = [await add('sandbox-small', 2), await add('sandbox-large', 1)]
  const { body } = await one.ask('GET', '/v1/models')
  const ids = new Map(
    body.data.map((it: Record<string, string>) => [it['deployment_id'], it['id']]),
  )
  expect([ids.get(first), ids.get(second)]).toEqual(['default', second])
  // That of the platform is hidden by it.
  expect([...ids.values()].filter(id => id === 'default')).toHaveLength(1)
  for (const id of ids.values()) {
    if (id === 'embedding') continue
    const made = await one.infer('Hello.', { model: id })
    expect(made.status, made.text).toBe(200)
    expect(ids.get(made.body.model_deployment_id)).toBe(id)
  }
})
